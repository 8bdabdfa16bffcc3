package audio

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Sample formats of a WAV file.
const (
	formatPCM        = 1
	formatFloat      = 3
	formatExtensible = 0xFFFE // the format is in the first two bytes of a GUID after the usual fields
)

// decodeWAV reads the chunks of a RIFF file up to its sound. The chunk with the format must come first. Files above 4
// GiB (RF64, and BW64 with the same structure) have their lengths in a separate chunk (EBU Tech 3306, ITU-R BS.2088).
func decodeWAV(file []byte) (Clip, error) {
	var form wavFormat
	var long int64 // length of the sound in bytes according to the chunk "ds64"; 0: unknown
	for rest := file[12:]; len(rest) >= 8; {
		id, size := string(rest[:4]), int64(binary.LittleEndian.Uint32(rest[4:]))
		rest = rest[8:]
		if id == "data" {
			return form.decodeData(rest, size, long)
		}
		if size > int64(len(rest)) {
			return Clip{}, fmt.Errorf("%w: its chunk %q says %d bytes, the file has %d more", ErrDamaged, id, size, len(rest))
		}
		body := rest[:size]
		switch {
		case id == "fmt ":
			var err error
			if form, err = readWAVFormat(body); err != nil {
				return Clip{}, err
			}
		case id == "ds64" && len(body) >= 16:
			long = int64(binary.LittleEndian.Uint64(body[8:]))
		}
		rest = rest[min(size+size%2, int64(len(rest))):] // chunks start at even positions
	}
	return Clip{}, fmt.Errorf("%w: a WAV file without a data chunk", ErrDamaged)
}

// unknownLength is the smallest length that programs write if they do not know it because they write to a pipe. ffmpeg
// sets all bits; others write nearly 2 GiB.
const unknownLength = 1<<31 - 1<<16

// decodeData decodes the sound at the start of rest. size is its length in bytes according to its chunk, and long
// according to ds64. If the length is unknown, the sound extends to the end of the file. This agrees with libsndfile
// except for a length of 0, for which libsndfile reads nothing.
func (f wavFormat) decodeData(rest []byte, size, long int64) (Clip, error) {
	const inDS64 = 1<<32 - 1
	if size == inDS64 && long > 0 {
		size = long
	}
	switch there := int64(len(rest)); {
	case size <= there && size > 0, size == 0 && onlyChunks(rest):
		return f.decodeClip(rest[:size])
	case size == 0, size >= unknownLength && size <= inDS64:
		if frame := int64(f.bits / 8 * f.channels); frame > 0 {
			there -= there % frame // the pipe may have ended within a frame
		}
		return f.decodeClip(rest[:there])
	default:
		return Clip{}, fmt.Errorf("%w: its chunk \"data\" says %d bytes, the file has %d more", ErrDamaged, size, there)
	}
}

// onlyChunks reports whether rest contains only complete chunks, which means that a sound of length 0 is really empty.
func onlyChunks(rest []byte) bool {
	for len(rest) >= 8 {
		size := int64(binary.LittleEndian.Uint32(rest[4:]))
		if rest = rest[8:]; size > int64(len(rest)) {
			return false
		}
		rest = rest[min(size+size%2, int64(len(rest))):]
	}
	return len(rest) == 0
}

// wavFormat contains the values of the chunk "fmt ".
type wavFormat struct {
	format, channels, rate, bits int
}

func readWAVFormat(b []byte) (wavFormat, error) {
	if len(b) < 16 {
		return wavFormat{}, fmt.Errorf("%w: its chunk \"fmt \" has %d bytes, want 16 or more", ErrDamaged, len(b))
	}
	f := wavFormat{
		format:   int(binary.LittleEndian.Uint16(b)),
		channels: int(binary.LittleEndian.Uint16(b[2:])),
		rate:     int(binary.LittleEndian.Uint32(b[4:])),
		bits:     int(binary.LittleEndian.Uint16(b[14:])),
	}
	if f.format == formatExtensible && len(b) >= 26 {
		f.format = int(binary.LittleEndian.Uint16(b[24:]))
	}
	if f.channels == 0 || f.rate == 0 {
		return wavFormat{}, fmt.Errorf("%w: %d channels at %d samples per second", ErrDamaged, f.channels, f.rate)
	}
	if f.sampleReader() == nil {
		return wavFormat{}, fmt.Errorf("%w: WAV format %d with %d bits, want PCM (1) with 8, 16, 24 or 32 or float (3) with"+
			" 32 or 64", ErrUnsupported, f.format, f.bits)
	}
	return f, nil
}

func (f wavFormat) decodeClip(data []byte) (Clip, error) {
	if f.rate == 0 {
		return Clip{}, fmt.Errorf("%w: the data of a WAV file come before its format", ErrDamaged)
	}
	width := f.bits / 8
	if frame := width * f.channels; len(data)%frame != 0 {
		return Clip{}, fmt.Errorf("%w: %d bytes of sound, not a multiple of %d (%d channels of %d bits)", ErrDamaged,
			len(data), frame, f.channels, f.bits)
	}
	c := Clip{Rate: f.rate, Channels: f.channels, Samples: make([]float32, len(data)/width)}
	sample := f.sampleReader()
	for i := range c.Samples {
		c.Samples[i] = sample(data[i*width:])
	}
	return c, nil
}

// sampleReader returns a function that converts the first sample of b, or nil if the format is not supported.
func (f wavFormat) sampleReader() func(b []byte) float32 {
	switch [2]int{f.format, f.bits} {
	case [2]int{formatPCM, 8}:
		return func(b []byte) float32 { return float32(int(b[0])-128) / 128 }
	case [2]int{formatPCM, 16}:
		return func(b []byte) float32 { return scaleSample(int32(int16(binary.LittleEndian.Uint16(b))), 16) }
	case [2]int{formatPCM, 24}:
		return func(b []byte) float32 {
			return scaleSample((int32(b[0])<<8|int32(b[1])<<16|int32(b[2])<<24)>>8, 24)
		}
	case [2]int{formatPCM, 32}:
		return func(b []byte) float32 { return scaleSample(int32(binary.LittleEndian.Uint32(b)), 32) }
	case [2]int{formatFloat, 32}:
		return func(b []byte) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(b)) }
	case [2]int{formatFloat, 64}:
		return func(b []byte) float32 { return float32(math.Float64frombits(binary.LittleEndian.Uint64(b))) }
	}
	return nil
}

// scaleSample scales an integer sample of the given number of bits to -1..1.
func scaleSample(v int32, bits int) float32 {
	return float32(v) / float32(uint32(1)<<(bits-1))
}
