package videos

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"os"
	"path/filepath"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// Label is the description of the stand-in in every result.
const Label = "stand-in: drawing program"

// StandInName is the name under which the stand-in is registered.
const StandInName = "standin"

// StandIn is a backend that draws coloured frames from a prompt's hash. It tests the pipeline from a prompt to its
// result, not a model.
type StandIn struct{}

var (
	_ backend.GeneratorOpener = StandIn{}
	_ backend.Describer       = StandIn{}
)

// Describe returns the label as the version.
func (StandIn) Describe() backend.Info { return backend.Info{Version: Label} }

// Open returns an error, because the stand-in has no tensors.
func (StandIn) Open(context.Context, backend.Model, backend.Config) (backend.Session, error) {
	return nil, errors.New("a drawing program runs no model: choose another backend")
}

// OpenGenerator checks that the model is the stand-in's label, and returns a generator.
func (StandIn) OpenGenerator(_ context.Context, m backend.Model, c backend.Config) (backend.Generator, error) {
	for name := range c.Options {
		return nil, fmt.Errorf("%w: the stand-in has no option %q", backend.ErrOption, name)
	}
	var label struct {
		Label string `json:"label"`
	}
	if err := json.Unmarshal(m.Bytes, &label); err != nil || label.Label != Label {
		return nil, errors.New("the stand-in draws, and runs no model: for videos of a model give --backend video with its " +
			"option url or command")
	}
	dir, err := os.MkdirTemp("", "plumbline-videos-")
	if err != nil {
		return nil, err
	}
	const hour = 3600e9
	return &drawnGenerator{newVideoGenerator([]videoMaker{drawnMaker{dir}}, anyFiles{}, hour), dir}, nil
}

// drawnGenerator is the generator of the stand-in. Close removes its files if they are in a temporary folder.
type drawnGenerator struct {
	*videoGenerator
	dir string
}

func (d *drawnGenerator) Close() error { return os.RemoveAll(d.dir) }

type drawnMaker struct{ dir string }

func (d drawnMaker) makeVideo(ctx context.Context, a VideoJob) (VideoAnswer, error) {
	var request struct {
		Prompt string `json:"prompt"`
	}
	if err := json.Unmarshal(a.Body, &request); err != nil {
		return VideoAnswer{}, videoFailure{err}
	}
	video, err := DrawVideo(request.Prompt)
	if err != nil || a.File != "" {
		return VideoAnswer{Video: video}, err
	}
	f, err := os.CreateTemp(d.dir, "*"+filepath.Ext(FileEnding(video)))
	if err != nil {
		return VideoAnswer{}, err
	}
	_, err = f.Write(video)
	return VideoAnswer{Path: f.Name()}, errors.Join(err, f.Close(), ctx.Err())
}

func (d drawnMaker) close() error { return nil }

// Size and number of frames of drawn videos.
const (
	drawnWidth, drawnHeight = 64, 36
	drawnFrames             = 9
)

// DrawVideo draws the video of a prompt as a GIF: a square that moves across stripes. The prompt's hash determines its
// colours and path. The bytes are the same on all machines.
func DrawVideo(prompt string) ([]byte, error) {
	h := sha256.Sum256([]byte(prompt))
	colours := color.Palette{}
	for i := range 4 {
		colours = append(colours, color.NRGBA{R: h[3*i], G: h[3*i+1], B: h[3*i+2], A: 255})
	}
	g := gif.GIF{Config: image.Config{Width: drawnWidth, Height: drawnHeight, ColorModel: colours}}
	const side = 12
	width := 2 + int(h[12]%7)
	for n := range drawnFrames {
		frame := image.NewPaletted(image.Rect(0, 0, drawnWidth, drawnHeight), colours)
		left := (int(h[13]) + n*(1+int(h[14]%6))) % (drawnWidth - side)
		top := (int(h[15]) + n*(1+int(h[16]%4))) % (drawnHeight - side)
		square := image.Rect(left, top, left+side, top+side)
		for i := range frame.Pix {
			x, y := i%drawnWidth, i/drawnWidth
			frame.Pix[i] = uint8((x + y + n) / width % 3)
			if image.Pt(x, y).In(square) {
				frame.Pix[i] = 3
			}
		}
		const hundredths = 6 // about 16 frames per second
		g.Image, g.Delay = append(g.Image, frame), append(g.Delay, hundredths)
	}
	var b bytes.Buffer
	err := gif.EncodeAll(&b, &g)
	return b.Bytes(), err
}
