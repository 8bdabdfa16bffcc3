package image

import (
	"encoding/binary"
)

// orientation is the EXIF tag 0x0112: where the first row and column of the stored picture belong. 1 is upright.
type orientation uint16

const (
	upright         orientation = 1
	lastOrientation orientation = 8
	orientationTag              = 0x0112
	firstTransposed orientation = 5 // from here on rows and columns are exchanged
	exifEntryBytes              = 12
	exifShort                   = 3
	exifHeader                  = "Exif\x00\x00"
)

// tiffOrientation reads the orientation from EXIF data (EXIF 2.3, section 4.5: a TIFF header and its first directory).
// Data that make no sense count as upright: a picture is not refused for its metadata.
func tiffOrientation(b []byte) orientation {
	order := tiffOrder(b)
	if order == nil {
		return upright
	}
	at := uint64(order.Uint32(b[4:]))
	if at+2 > uint64(len(b)) {
		return upright
	}
	n := int(order.Uint16(b[at:]))
	for e := b[at+2:]; n > 0 && len(e) >= exifEntryBytes; n, e = n-1, e[exifEntryBytes:] {
		if order.Uint16(e) == orientationTag {
			return orientationOf(order.Uint16(e[8:]))
		}
	}
	return upright
}

// tiffOrder returns the byte order that a TIFF header declares, nil for what is no TIFF header.
func tiffOrder(b []byte) binary.ByteOrder {
	if len(b) < 8 {
		return nil
	}
	switch string(b[:4]) {
	case "II*\x00":
		return binary.LittleEndian
	case "MM\x00*":
		return binary.BigEndian
	}
	return nil
}

func orientationOf(v uint16) orientation {
	if o := orientation(v); o >= upright && o <= lastOrientation {
		return o
	}
	return upright
}
