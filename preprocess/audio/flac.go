package audio

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/mewkiz/flac"
	"github.com/mewkiz/flac/frame"
)

// decodeFLAC decodes frames up to the end of the file. It requires the number of samples in the header, unless that is
// 0 for unknown.
func decodeFLAC(file []byte) (c Clip, err error) {
	defer func() { // the library panics on some damaged frames
		if r := recover(); r != nil {
			c, err = Clip{}, fmt.Errorf("%w: a FLAC frame that makes no sense (%v)", ErrDamaged, r)
		}
	}()
	if len(file) < 42 || file[4]&0x7F != 0 { // for other blocks, the library allocates memory of the size that they state
		return Clip{}, fmt.Errorf("%w: a FLAC file whose first block does not describe its sound", ErrDamaged)
	}
	stream, err := flac.New(bytes.NewReader(file))
	if err != nil {
		return Clip{}, fmt.Errorf("%w: the header of a FLAC file: %w", ErrDamaged, err)
	}
	info := stream.Info
	if info.SampleRate == 0 || info.NChannels == 0 {
		return Clip{}, fmt.Errorf("%w: %d channels at %d samples per second", ErrDamaged, info.NChannels, info.SampleRate)
	}
	c = Clip{Rate: int(info.SampleRate), Channels: int(info.NChannels)}
	for {
		f, err := stream.ParseNext()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return Clip{}, fmt.Errorf("%w: after %d samples of a FLAC file: %w", ErrDamaged, len(c.Samples), err)
		}
		if len(c.Samples) > limitSamples(info.NSamples*uint64(c.Channels)) {
			return Clip{}, fmt.Errorf("%w: a FLAC file of more than the %d samples that its header says, or than %d in all",
				ErrDamaged, info.NSamples, maxFLACSamples)
		}
		if c.Samples, err = appendFrame(c.Samples, f, c.Channels, int(info.BitsPerSample)); err != nil {
			return Clip{}, err
		}
	}
	if n := uint64(len(c.Samples) / c.Channels); info.NSamples != 0 && n != info.NSamples {
		return Clip{}, fmt.Errorf("%w: a FLAC file of %d samples whose header says %d", ErrDamaged, n, info.NSamples)
	}
	return c, nil
}

// maxFLACSamples limits the number of samples to more than an hour of one channel, because a few bytes of silence can
// represent any number.
const maxFLACSamples = 1 << 26

// limitSamples returns the maximum number of samples of a file whose header states n; 0 means unknown.
func limitSamples(n uint64) int {
	if n == 0 || n > maxFLACSamples {
		return maxFLACSamples
	}
	return int(n)
}

// appendFrame appends the samples of a frame, with the channels interleaved.
func appendFrame(samples []float32, f *frame.Frame, channels, bits int) ([]float32, error) {
	if len(f.Subframes) != channels {
		return nil, fmt.Errorf("%w: a FLAC frame of %d channels in a file of %d", ErrDamaged, len(f.Subframes), channels)
	}
	for i := range f.Subframes[0].Samples {
		for _, s := range f.Subframes {
			samples = append(samples, scaleSample(s.Samples[i], bits))
		}
	}
	return samples, nil
}
