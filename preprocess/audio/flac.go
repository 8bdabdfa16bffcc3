package audio

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/mewkiz/flac"
	"github.com/mewkiz/flac/frame"
)

// decodeFLAC reads frames until the file ends, and insists on as many samples as its header says (0: it does not say).
func decodeFLAC(file []byte) (c Clip, err error) {
	defer func() { // the library indexes what a damaged frame says
		if r := recover(); r != nil {
			c, err = Clip{}, fmt.Errorf("%w: a FLAC frame that makes no sense (%v)", ErrDamaged, r)
		}
	}()
	if len(file) < 42 || file[4]&0x7F != 0 { // of other blocks the library allocates what they say
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
		if len(c.Samples) > maxSamples(info.NSamples*uint64(c.Channels)) {
			return Clip{}, fmt.Errorf("%w: a FLAC file of more than the %d samples that its header says, or than %d in all",
				ErrDamaged, info.NSamples, maxFLAC)
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

// maxFLAC is the most samples that are read, over an hour of one channel: a few bytes of silence can say any number.
const maxFLAC = 1 << 26

// maxSamples is the maximum number of samples of a file whose header says n; 0 says nothing.
func maxSamples(n uint64) int {
	if n == 0 || n > maxFLAC {
		return maxFLAC
	}
	return int(n)
}

// appendFrame puts the channels of one frame side by side.
func appendFrame(samples []float32, f *frame.Frame, channels, bits int) ([]float32, error) {
	if len(f.Subframes) != channels {
		return nil, fmt.Errorf("%w: a FLAC frame of %d channels in a file of %d", ErrDamaged, len(f.Subframes), channels)
	}
	for i := range f.Subframes[0].Samples {
		for _, s := range f.Subframes {
			samples = append(samples, scaledSample(s.Samples[i], bits))
		}
	}
	return samples, nil
}
