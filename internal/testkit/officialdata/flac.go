package officialdata

import (
	"bytes"

	"github.com/mewkiz/flac"
	"github.com/mewkiz/flac/frame"
	"github.com/mewkiz/flac/meta"
)

// FLAC returns a file with 16-bit samples at 16 kHz in one channel, like those of LibriSpeech, in uncompressed frames
// of 4,096 samples.
func FLAC(samples []int16) ([]byte, error) {
	const block = 4096
	var file bytes.Buffer
	e, err := flac.NewEncoder(&file, &meta.StreamInfo{
		BlockSizeMin: block, BlockSizeMax: block, SampleRate: 16000, NChannels: 1, BitsPerSample: 16,
		NSamples: uint64(len(samples)),
	})
	for i := 0; err == nil && i*block < len(samples); i++ {
		part := samples[i*block : min((i+1)*block, len(samples))]
		wide := make([]int32, len(part))
		for k, v := range part {
			wide[k] = int32(v)
		}
		err = e.WriteFrame(&frame.Frame{
			Header: frame.Header{
				HasFixedBlockSize: true, BlockSize: uint16(len(part)), SampleRate: 16000, Channels: frame.ChannelsMono,
				BitsPerSample: 16, Num: uint64(i),
			},
			Subframes: []*frame.Subframe{{
				SubHeader: frame.SubHeader{Pred: frame.PredVerbatim}, Samples: wide, NSamples: len(wide),
			}},
		})
	}
	if err == nil {
		err = e.Close()
	}
	return file.Bytes(), err
}
