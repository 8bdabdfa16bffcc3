package image

import "encoding/binary"

// exifRotation is the value of EXIF tag 0x0112: the positions of the stored picture's first row and column in the
// upright picture. 1 is upright.
type exifRotation uint16

const (
	upright        exifRotation = 1
	minTransposed  exifRotation = 5 // from this value on, rows and columns are exchanged
	maxOrientation exifRotation = 8
)

// Tags in a TIFF directory.
const (
	tagDescription = 0x010e
	tagMaker       = 0x010f
	tagModel       = 0x0110
	tagOrientation = 0x0112
)

// exifOrientation reads the orientation from the content of a JPEG's APP1 segment. Like OpenCV 4, it expects EXIF data
// in the first such segment and skips the six bytes of the identifier.
func exifOrientation(app1 []byte) exifRotation {
	const name = "Exif\x00\x00"
	if len(app1) <= len(name) {
		return upright
	}
	return tiffOrientation(app1[len(name):])
}

// tiffOrientation reads the orientation from EXIF data (EXIF 2.3, section 4.5: a TIFF header and its first directory).
// Invalid data count as upright, because a picture should not be rejected for its metadata.
func tiffOrientation(b []byte) exifRotation {
	const entryLen, valueEnd = 12, 10
	if len(b) < 8 {
		return upright
	}
	var order binary.ByteOrder = binary.BigEndian
	if b[0] == 'I' && b[1] == 'I' {
		order = binary.LittleEndian
	}
	at := uint64(order.Uint32(b[4:]))
	if order.Uint16(b[2:]) != 42 || at+2 > uint64(len(b)) {
		return upright
	}
	count := int(order.Uint16(b[at:]))
	for e := b[at+2:]; count > 0 && len(e) >= valueEnd; count-- {
		switch order.Uint16(e) {
		case tagOrientation:
			return exifRotation(order.Uint16(e[8:])).orUpright()
		case tagDescription, tagMaker, tagModel:
			if !textInside(e, order, len(b)) {
				return upright // OpenCV stops reading at a text outside the data
			}
		}
		e = e[min(entryLen, len(e)):]
	}
	return upright
}

// textInside reports whether the text of a directory entry is within the size bytes of EXIF data.
func textInside(e []byte, order binary.ByteOrder, size int) bool {
	const inEntry = 4 // maximum length of texts that are stored in the entry
	if len(e) < 12 {
		return false
	}
	n, at := uint64(order.Uint32(e[4:])), uint64(order.Uint32(e[8:]))
	return n <= inEntry || at+n <= uint64(size)
}

func (o exifRotation) orUpright() exifRotation {
	if o < upright || o > maxOrientation {
		return upright
	}
	return o
}
