package picture

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
)

// errTruncated means that a picture file is shorter than its content requires.
var errTruncated = errors.New("it is cut short")

// CheckWhole scans a picture file to its end without decoding it, and returns an error if the file is damaged or
// truncated. A JPEG must contain a frame, a scan and the end marker. A PNG must contain correct checksums up to IEND, a
// GIF its complete first frame, and a WebP or BMP the number of bytes in its header. Wrong values within a JPEG scan
// are not detected; decoders accept them, too. Other formats are not checked.
func CheckWhole(file []byte) error {
	has := func(text string) bool { return bytes.HasPrefix(file, []byte(text)) }
	switch {
	case has("\xff\xd8\xff"):
		return checkJPEG(file)
	case has("\x89PNG\r\n\x1a\n"):
		return checkPNG(file)
	case has("GIF8"):
		return checkGIF(file)
	case has("RIFF"):
		return checkWebP(file)
	case has("BM"):
		return checkBMP(file)
	}
	return nil
}

// checkJPEG skips segments and scans up to the end of the image (ITU-T T.81, B.1 and B.2). It ignores bytes after the
// end.
func checkJPEG(file []byte) error {
	const startOfImage, endOfImage, startOfScan, temporary = 0xd8, 0xd9, 0xda, 0x01
	frame, scans := false, 0
	for rest := file; ; {
		var marker byte
		var err error
		if marker, rest, err = nextMarker(rest, scans > 0); err != nil {
			return err
		}
		switch {
		case marker == endOfImage && scans > 0:
			return nil
		case marker == endOfImage:
			return errors.New("a JPEG that ends before its first scan")
		case marker == startOfImage, marker == temporary, isRestart(marker):
			continue
		}
		if len(rest) < 2 || len(rest) < int(binary.BigEndian.Uint16(rest)) {
			return errTruncated
		}
		n := int(binary.BigEndian.Uint16(rest))
		if n < 2 {
			return fmt.Errorf("a JPEG with a segment of %d bytes, want at least 2", n)
		}
		rest = rest[n:]
		frame = frame || startsFrame(marker)
		if marker != startOfScan {
			continue
		}
		if !frame {
			return errors.New("a JPEG with a scan before its frame header")
		}
		scans++
		rest = skipScan(rest)
	}
}

func isRestart(marker byte) bool { return marker >= 0xd0 && marker <= 0xd7 }

// nextMarker returns the number of the next marker and the bytes after it. After a scan, it skips bytes before the
// marker, as decoders do.
func nextMarker(rest []byte, afterScan bool) (byte, []byte, error) {
	at := bytes.IndexByte(rest, 0xff)
	switch {
	case at < 0 && (afterScan || len(rest) == 0):
		return 0, nil, errTruncated
	case at != 0 && !afterScan:
		return 0, nil, fmt.Errorf("a JPEG with byte %#02x where a marker should be", rest[0])
	}
	for ; at < len(rest); at++ { // 0xff may be repeated
		if rest[at] != 0xff {
			return rest[at], rest[at+1:], nil
		}
	}
	return 0, nil, errTruncated
}

// skipScan skips the entropy-coded data of a scan and returns the bytes from the next other marker on.
func skipScan(rest []byte) []byte {
	for {
		at := bytes.IndexByte(rest, 0xff)
		if at < 0 || at+1 == len(rest) {
			return nil
		}
		next := rest[at+1]
		if next != 0 && next != 0xff && !isRestart(next) {
			return rest[at:]
		}
		rest = rest[at+1:]
	}
}

// checkPNG checks the chunks up to IEND.
func checkPNG(file []byte) error {
	data := false
	for rest := file[8:]; ; {
		const overhead = 12 // length, type and checksum
		if len(rest) < overhead {
			return errTruncated
		}
		n := binary.BigEndian.Uint32(rest)
		kind := string(rest[4:8])
		if uint64(n) > uint64(len(rest)-overhead) {
			return errTruncated
		}
		end := 8 + int(n)
		if got, want := crc32.ChecksumIEEE(rest[4:end]), binary.BigEndian.Uint32(rest[end:]); got != want {
			return fmt.Errorf("a PNG whose chunk %q has the checksum %#08x, and says %#08x", kind, got, want)
		}
		switch {
		case kind == "IEND" && data:
			return nil
		case kind == "IEND":
			return errors.New("a PNG without a chunk IDAT")
		}
		data = data || kind == "IDAT"
		rest = rest[end+4:]
	}
}

// checkGIF skips blocks up to the end of the first frame.
func checkGIF(file []byte) error {
	const screen, descriptor = 13, 10
	if len(file) < screen {
		return errTruncated
	}
	rest := file[screen:]
	skip := func(n int) bool {
		fits := n <= len(rest)
		rest = rest[min(n, len(rest)):]
		return fits
	}
	if !skip(colorTableSize(file[10])) {
		return errTruncated
	}
	for len(rest) > 0 {
		switch kind := rest[0]; kind {
		case '!': // an extension: a label and blocks
			if !skip(2) || !skipBlocks(&rest) {
				return errTruncated
			}
		case ',': // a frame: the code size and blocks
			if len(rest) < descriptor || !skip(descriptor+colorTableSize(rest[9])+1) || !skipBlocks(&rest) {
				return errTruncated
			}
			return nil
		default:
			return fmt.Errorf("a GIF with a block of kind %#02x before its first frame", kind)
		}
	}
	return errTruncated
}

// colorTableSize returns the size in bytes of the color table that flags describe.
func colorTableSize(flags byte) int {
	if flags&0x80 == 0 {
		return 0
	}
	return 3 << (flags&7 + 1)
}

// skipBlocks skips blocks up to an empty one, and reports whether it found that.
func skipBlocks(rest *[]byte) bool {
	for len(*rest) > 0 {
		n := int((*rest)[0])
		if n+1 > len(*rest) {
			return false
		}
		*rest = (*rest)[n+1:]
		if n == 0 {
			return true
		}
	}
	return false
}

// checkWebP requires the number of bytes in the header.
func checkWebP(file []byte) error {
	const head = 8
	switch {
	case len(file) < 20:
		return errTruncated
	case uint64(binary.LittleEndian.Uint32(file[4:])) > uint64(len(file)-head):
		return errTruncated
	case !bytes.HasPrefix(file[12:], []byte("VP8")):
		return fmt.Errorf("a WebP whose first chunk is %q, want VP8, VP8L or VP8X", file[12:16])
	}
	return nil
}

// checkBMP requires all pixels that the header describes, unless they are compressed.
func checkBMP(file []byte) error {
	if len(file) < 54 {
		return errTruncated
	}
	start := uint64(binary.LittleEndian.Uint32(file[10:]))
	width, height := int32(binary.LittleEndian.Uint32(file[18:])), int32(binary.LittleEndian.Uint32(file[22:]))
	bits, packing := uint64(binary.LittleEndian.Uint16(file[28:])), binary.LittleEndian.Uint32(file[30:])
	if binary.LittleEndian.Uint32(file[14:]) < 40 || packing != 0 && packing != 3 || width < 0 {
		return nil
	}
	rows := uint64(max(height, -height))
	if row := (uint64(width)*bits + 31) / 32 * 4; start+row*rows > uint64(len(file)) {
		return errTruncated
	}
	return nil
}
