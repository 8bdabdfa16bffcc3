package speech

import "github.com/plumbline-ml/plumbline/internal/draw"

// voice contains the properties of a speaker and the room. Fractions have units of 1/256.
type voice struct {
	tract int // factor of the formants' frequencies; higher for a shorter vocal tract
	pitch int // hertz
	pace  int // factor of the usual duration of a letter
	noise int // amplitude of the noise relative to the speech
	gain  int // amplitude of the clip, in units of 2^-15
}

// noises are 256 times 10^(-dB/20) for 1 to 18 dB.
var noises = [...]int{228, 203, 181, 162, 144, 128, 114, 102, 91, 81, 72, 64, 57, 51, 46, 41, 36, 32}

func newVoice(r *draw.Random) voice {
	return voice{
		tract: r.IntBetween(225, 292), pitch: r.IntBetween(95, 225), pace: r.IntBetween(205, 320),
		noise: noises[r.IntBelow(len(noises))], gain: r.IntBetween(20, 97),
	}
}

// countSamples returns the number of samples that say would generate.
func countSamples(r *draw.Random, text string) int {
	v := newVoice(r)
	n := v.drawPause(r, 60, 150)
	for i := range len(text) {
		switch c := text[i]; c {
		case ' ':
			n += v.drawPause(r, 45, 105)
		case '\'':
			hiss := v.drawPause(r, 70, 140)
			for range hiss {
				r.Uint64()
			}
			n += hiss
		default:
			n += v.drawPause(r, 70, 140)
			v.tones(r, int(c-'a'))
		}
	}
	return n + v.drawPause(r, 60, 150)
}

// millisecond is the number of samples per millisecond.
const millisecond = Rate / 1000

// speakText speaks a text: each letter is a sound, and a blank is a pause.
func speakText(r *draw.Random, text string) []int16 {
	v := newVoice(r)
	samples := make([]int, v.drawPause(r, 60, 150))
	for i := range len(text) {
		switch c := text[i]; c {
		case ' ':
			samples = append(samples, make([]int, v.drawPause(r, 45, 105))...)
		case '\'':
			samples = v.appendHiss(r, samples)
		default:
			samples = v.appendLetter(r, samples, int(c-'a'))
		}
	}
	samples = append(samples, make([]int, v.drawPause(r, 60, 150))...)
	return v.addNoise(r, samples)
}

// drawPause draws a duration of least to most milliseconds at the speaker's pace, in samples.
func (v voice) drawPause(r *draw.Random, least, most int) int {
	return r.IntBetween(least*millisecond, most*millisecond) * v.pace / 256
}

// formants returns the three formants of letter k, in hertz.
func formants(k int) [3]int {
	return [3]int{270 + 120*(k%6), 950 + 330*(k/6) + 70*(k%6), 2600 + 110*(7*k%13)}
}

// loudness is the loudness of the formants. The sum for a letter stays within about 1<<17.
var loudness = [3]int{256, 179, 115}

// appendLetter appends the sound of a letter: three tones, modulated at the voice's pitch.
func (v voice) appendLetter(r *draw.Random, samples []int, k int) []int {
	n := v.drawPause(r, 70, 140)
	tones := v.tones(r, k)
	swell := newTurns(v.pitch * 256)
	for i := range n {
		sum := 0
		for j := range tones {
			sum += tones[j].next() / 256
		}
		depth := 9011 + draw.Cos(swell.next())*115/256 // 0.55 + 0.45 cos, of 16384
		samples = append(samples, sum*depth/16384*envelopeAt(i, n)/256)
	}
	return samples
}

// tones returns the formants of letter k in this voice.
func (v voice) tones(r *draw.Random, k int) (tones [3]tone) {
	for j, hertz := range formants(k) {
		tones[j] = tone{
			turns: newTurns(hertz * v.tract * r.IntBetween(247, 265) / 256), // in 1/256 hertz
			size:  loudness[j] * r.IntBetween(154, 358) / 256,
		}
		tones[j].turns.at = uint32(r.Uint64())
	}
	return tones
}

// appendHiss appends the sound of an apostrophe.
func (v voice) appendHiss(r *draw.Random, samples []int) []int {
	n := v.drawPause(r, 70, 140)
	before := 0
	for i := range n {
		now := r.IntBetween(-8192, 8192)
		samples = append(samples, (now-before)*205/256*envelopeAt(i, n)/256)
		before = now
	}
	return samples
}

// envelopeAt returns the envelope of a sound at sample i of n, in 1/256. It rises and falls within 10 ms.
func envelopeAt(i, n int) int {
	return min(256, min(i, n-1-i)*256/(10*millisecond))
}

// addNoise adds the noise and converts the samples to 16 bits.
func (v voice) addNoise(r *draw.Random, samples []int) []int16 {
	power := 0
	for _, s := range samples {
		power += s * s / 256
	}
	// The sum of three numbers from -1 to 1 has a variance of 1.
	noise := draw.Sqrt(power/len(samples)*256) * v.noise / 256
	recorded := make([]int16, len(samples))
	for i, s := range samples {
		s += noise * (r.IntBetween(-1024, 1024) + r.IntBetween(-1024, 1024) + r.IntBetween(-1024, 1024)) / 1024
		recorded[i] = int16(max(-1<<15, min(s*2*v.gain/256, 1<<15-1)))
	}
	return recorded
}

// turns is a rotating phase, in units of 2^-32 turns.
type turns struct {
	at, step uint32
}

// newTurns returns a phase with a frequency in 1/256 hertz.
func newTurns(hertz int) turns {
	return turns{step: uint32(uint64(hertz) << 32 / (256 * Rate))}
}

// next returns the angle for draw.Sin, and then advances the phase.
func (t *turns) next() int {
	at := t.at
	t.at += t.step
	return int(at >> 16)
}

// tone is a sine with an amplitude in 1/256.
type tone struct {
	turns turns
	size  int
}

func (t *tone) next() int { return draw.Sin(t.turns.next()) * t.size }
