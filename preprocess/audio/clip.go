package audio

import (
	"bytes"
	"fmt"
	"slices"
)

// Clip is a decoded sound.
type Clip struct {
	Rate     int       // samples per second and channel
	Channels int       // 1 or more
	Samples  []float32 // in -1..1; samples of the same time are adjacent
}

// Decode decodes a FLAC or WAV file. WAV files may contain PCM of 8, 16, 24 or 32 bits or floats of 32 or 64 bits, and
// may be RF64 or BW64. If the writer did not know the length, like ffmpeg when it writes to a pipe, the sound extends
// to the end of the file.
//
// Errors wrap ErrFormat, ErrUnsupported, or ErrDamaged if the file ends before its sound.
func Decode(file []byte) (Clip, error) {
	switch {
	case len(file) >= 12 && slices.Contains(wavMagics, string(file[:4])) && string(file[8:12]) == "WAVE":
		return decodeWAV(file)
	case bytes.HasPrefix(file, []byte("fLaC")):
		return decodeFLAC(file)
	}
	for begin, name := range otherFormats {
		if bytes.HasPrefix(file, []byte(begin)) {
			return Clip{}, fmt.Errorf("%w: it is %s: convert it to WAV or FLAC", ErrFormat, name)
		}
	}
	return Clip{}, fmt.Errorf("%w: it begins with %q, want RIFF....WAVE or fLaC", ErrFormat, file[:min(len(file), 12)])
}

// wavMagics contains the first bytes of WAV files. The last two are for files above 4 GiB.
var wavMagics = []string{"RIFF", "RF64", "BW64"}

// otherFormats maps the first bytes of other file formats to their names.
var otherFormats = map[string]string{
	"riff\x2e\x91\xcf\x11": "Wave64 (W64)", "RIFX": "a WAV file of numbers with the highest byte first (RIFX)",
	"FORM": "AIFF", "caff": "Core Audio", "OggS": "Ogg", "ID3": "MP3", ".snd": "AU", "\x1aE\xdf\xa3": "Matroska or WebM",
}

// DecodeSpeech is like Decode but requires the properties of the benchmarks' speech: 16,000 Hz, one channel, and finite
// samples, because WAV files of floats may contain NaN.
func DecodeSpeech(file []byte) ([]float32, error) {
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

// Mono returns the mean of the channels, [len(Samples)/Channels]. For a single channel, it returns the clip's samples
// without copying.
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
