package audio

import (
	"bytes"
	"fmt"
)

// Clip is a decoded sound.
type Clip struct {
	Rate     int       // samples per second and channel
	Channels int       // 1 or more
	Samples  []float32 // in -1..1, the channels of one moment side by side
}

// Decode reads a WAV file (PCM of 8, 16, 24 and 32 bits, float of 32 and 64) or a FLAC file.
//
// Errors: ErrFormat, ErrUnsupported, and ErrDamaged where the file ends before its sound does.
func Decode(file []byte) (Clip, error) {
	switch {
	case len(file) >= 12 && string(file[:4]) == "RIFF" && string(file[8:12]) == "WAVE":
		return decodeWAV(file)
	case bytes.HasPrefix(file, []byte("fLaC")):
		return decodeFLAC(file)
	}
	return Clip{}, fmt.Errorf("%w: it begins with %q, want RIFF....WAVE or fLaC", ErrFormat, file[:min(len(file), 12)])
}

// Speech reads a file as Decode does and insists on what the benchmarks' speech is: 16,000 samples a second, one
// channel, and no sample that is no number, which a WAV file of floats may hold.
func Speech(file []byte) ([]float32, error) {
	c, err := Decode(file)
	if err != nil {
		return nil, err
	}
	if c.Rate != SampleRate || c.Channels != 1 {
		return nil, fmt.Errorf("%w: %d samples per second in %d channels, want %d in 1: convert the file", ErrSpeech,
			c.Rate, c.Channels, SampleRate)
	}
	for i, v := range c.Samples {
		if v-v != 0 {
			return nil, fmt.Errorf("%w: sample %d is %v, want a number from -1 to 1", ErrSpeech, i, v)
		}
	}
	return c.Samples, nil
}

// Mono is the mean of the channels, [len(Samples)/Channels]; of one channel the clip's own samples.
func (c Clip) Mono() []float32 {
	if c.Channels == 1 {
		return c.Samples
	}
	mono := make([]float32, len(c.Samples)/c.Channels)
	for i := range mono {
		sum := float32(0)
		for _, v := range c.Samples[i*c.Channels:][:c.Channels] {
			sum += v
		}
		mono[i] = sum / float32(c.Channels)
	}
	return mono
}
