package speech

import "github.com/plumbline-ml/plumbline/internal/draw"

// voice is a speaker in a room. Fractions are in 1/256.
type voice struct {
	tract int // fraction by which formants are higher: shorter tracts
	pitch int // hertz
	pace  int // fraction of the usual duration of a letter
	noise int // amplitude of the noise as a fraction of the speech's
	gain  int // amplitude of the whole, of 1<<15
}

// noises are 256 times 10^(-dB/20) for 1 to 18 dB.
var noises = [...]int{228, 203, 181, 162, 144, 128, 114, 102, 91, 81, 72, 64, 57, 51, 46, 41, 36, 32}

func newVoice(r *draw.Random) voice {
	return voice{
		tract: r.Between(225, 292), pitch: r.Between(95, 225), pace: r.Between(205, 320),
		noise: noises[r.Below(len(noises))], gain: r.Between(20, 97),
	}
}

// length is how many samples say would make.
func length(r *draw.Random, text string) int {
	v := newVoice(r)
	n := v.pause(r, 60, 150)
	for i := range len(text) {
		switch c := text[i]; c {
		case ' ':
			n += v.pause(r, 45, 105)
		case '\'':
			hiss := v.pause(r, 70, 140)
			for range hiss {
				r.Uint64()
			}
			n += hiss
		default:
			n += v.pause(r, 70, 140)
			v.tones(r, int(c-'a'))
		}
	}
	return n + v.pause(r, 60, 150)
}

// millisecond is in samples.
const millisecond = Rate / 1000

// say speaks a text: each letter is a sound, a blank is a pause.
func say(r *draw.Random, text string) []int16 {
	v := newVoice(r)
	samples := make([]int, v.pause(r, 60, 150))
	for i := range len(text) {
		switch c := text[i]; c {
		case ' ':
			samples = append(samples, make([]int, v.pause(r, 45, 105))...)
		case '\'':
			samples = v.hiss(r, samples)
		default:
			samples = v.letter(r, samples, int(c-'a'))
		}
	}
	samples = append(samples, make([]int, v.pause(r, 60, 150))...)
	return v.record(r, samples)
}

// pause is a duration of so many milliseconds at the speaker's pace, in samples.
func (v voice) pause(r *draw.Random, least, most int) int {
	return r.Between(least*millisecond, most*millisecond) * v.pace / 256
}

// formants are the three of letter k in hertz.
func formants(k int) [3]int {
	return [3]int{270 + 120*(k%6), 950 + 330*(k/6) + 70*(k%6), 2600 + 110*(7*k%13)}
}

// loudness is that of the formants; the whole of a letter stays within 1<<17 or so.
var loudness = [3]int{256, 179, 115}

// letter appends a sound: three tones that the voice's pitch lets swell.
func (v voice) letter(r *draw.Random, samples []int, k int) []int {
	n := v.pause(r, 70, 140)
	tones := v.tones(r, k)
	swell := newTurns(v.pitch * 256)
	for i := range n {
		sum := 0
		for j := range tones {
			sum += tones[j].next() / 256
		}
		depth := 9011 + draw.Cos(swell.next())*115/256 // 0.55 + 0.45 cos, of 16384
		samples = append(samples, sum*depth/16384*edge(i, n)/256)
	}
	return samples
}

// tones are the formants of letter k in this voice.
func (v voice) tones(r *draw.Random, k int) (tones [3]tone) {
	for j, hertz := range formants(k) {
		tones[j] = tone{
			turns: newTurns(hertz * v.tract * r.Between(247, 265) / 256), // in 1/256 hertz
			size:  loudness[j] * r.Between(154, 358) / 256,
		}
		tones[j].turns.at = uint32(r.Uint64())
	}
	return tones
}

// hiss appends the sound of an apostrophe.
func (v voice) hiss(r *draw.Random, samples []int) []int {
	n := v.pause(r, 70, 140)
	before := 0
	for i := range n {
		now := r.Between(-8192, 8192)
		samples = append(samples, (now-before)*205/256*edge(i, n)/256)
		before = now
	}
	return samples
}

// edge is how much of a sound is heard at sample i of n, in 1/256: it comes and goes in 10 ms.
func edge(i, n int) int {
	return min(256, min(i, n-1-i)*256/(10*millisecond))
}

// record adds the noise and brings the whole to 16 bits.
func (v voice) record(r *draw.Random, samples []int) []int16 {
	power := 0
	for _, s := range samples {
		power += s * s / 256
	}
	// Three numbers of -1 to 1 have a variance of 1 together.
	noise := draw.Sqrt(power/len(samples)*256) * v.noise / 256
	recorded := make([]int16, len(samples))
	for i, s := range samples {
		s += noise * (r.Between(-1024, 1024) + r.Between(-1024, 1024) + r.Between(-1024, 1024)) / 1024
		recorded[i] = int16(max(-1<<15, min(s*2*v.gain/256, 1<<15-1)))
	}
	return recorded
}

// turns is a phase that goes round, in 1/2^32 of a turn.
type turns struct {
	at, step uint32
}

// newTurns goes round so often in a second, in 1/256 hertz.
func newTurns(hertz int) turns {
	return turns{step: uint32(uint64(hertz) << 32 / (256 * Rate))}
}

// next is the angle as draw.Sin takes it, before the step.
func (t *turns) next() int {
	at := t.at
	t.at += t.step
	return int(at >> 16)
}

// tone is a sine of a size in 1/256.
type tone struct {
	turns turns
	size  int
}

func (t *tone) next() int { return draw.Sin(t.turns.next()) * t.size }
