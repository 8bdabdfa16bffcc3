// Package jpeg decodes JPEG files to the same pixels as libjpeg-turbo with its default settings: the accurate integer
// inverse DCT, triangle-filter ("fancy") chroma upsampling and its fixed-point colour conversion.
//
// In scope: baseline, extended sequential and progressive Huffman-coded files (ITU-T T.81) of 8-bit samples, with one
// (grey), three (YCbCr or RGB) or four (CMYK or YCCK) components and any whole-number subsampling. Out of scope:
// arithmetic coding, lossless and hierarchical files, 12-bit samples.
//
// libjpeg-turbo continues after damaged entropy-coded data and returns a partial picture; this package returns
// ErrDamaged.
package jpeg

import "errors"

// Kinds of errors; errors.Is finds them.
var (
	ErrDamaged     = errors.New("bad JPEG data")
	ErrUnsupported = errors.New("uncommon JPEG")
)

const (
	blockSide     = 8
	blockLen      = blockSide * blockSide
	maxComponents = 4
	maxSampling   = 4
	maxTables     = 4
)

// Header contains the values of a file's segments before the first scan.
type Header struct {
	W, H int // in pixels, as stored, without applying the orientation
	// Components is the number of components: 1 (grey), 3 (YCbCr or RGB) or 4 (CMYK or YCCK).
	Components int
	APP1       []byte // content of the first APP1 segment, which contains EXIF data; nil: none; part of the opened data
}

// Region is the rectangle of pixels X0 <= x < X1, Y0 <= y < Y1.
type Region struct{ X0, Y0, X1, Y1 int }

// Decoder decodes files one after the other and reuses its memory. It is not safe for concurrent use.
type Decoder struct {
	data     []byte
	position int // position of the next segment

	frame           frameHeader
	app1            []byte
	jfif            bool
	adobe           int // transform in the Adobe segment; -1: no such segment
	restartInterval int // MCUs between restart markers; 0: none
	quantTables     [maxTables]quantTable
	huffmanTables   [2][maxTables]*huffmanTable // DC, AC; allocated when first defined
	components      [maxComponents]colourComponent
	bits            bitReader
	eobRun          int // progressive: number of following blocks that end at once
	scanCount       int
	rows            rowBuffers
}

// Open reads the header of a file. The Decoder refers to data until the next Open.
func (d *Decoder) Open(data []byte) (Header, error) {
	d.reset(data)
	if err := d.readHeader(); err != nil {
		return Header{}, err
	}
	return Header{W: d.frame.w, H: d.frame.h, Components: d.frame.componentCount, APP1: d.app1}, nil
}

// Decode decodes the opened file. It writes only the pixels of region r to pix, which is interleaved RGB with rows of
// 3*W bytes. It always reads and checks the whole file. Each Open allows one Decode.
func (d *Decoder) Decode(pix []uint8, r Region) error {
	if err := d.prepareRegion(r); err != nil {
		return err
	}
	if err := d.readScans(); err != nil {
		return err
	}
	if d.frame.progressive {
		d.transformAll()
	}
	d.writeRows(pix, r)
	return nil
}
