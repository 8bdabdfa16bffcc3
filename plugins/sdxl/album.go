package sdxl

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/plugins/sdxl/internal/score"
	"github.com/plumbline-ml/plumbline/sdk"
)

// imagesFolder is the folder of the pictures in a submission, next to the accuracy log.
const imagesFolder = "images"

// pictureAlbum collects the pictures of some samples as files for a submission.
type pictureAlbum struct {
	samples       []uint64 // in the order of the rules
	captions      []string
	width, height int
	pictures      map[uint64][]byte // PNG
}

func newPictureAlbum(samples []uint64, o score.ScoreOptions) *pictureAlbum {
	return &pictureAlbum{samples, o.Captions, o.Width, o.Height, map[uint64][]byte{}}
}

// addPicture stores the first picture of a sample that belongs to the album.
func (a *pictureAlbum) addPicture(sample uint64, levels []byte) error {
	if _, there := a.pictures[sample]; there || !slices.Contains(a.samples, sample) {
		return nil
	}
	var b bytes.Buffer
	if err := png.Encode(&b, payloadPicture{levels, a.width, a.height}); err != nil {
		return fmt.Errorf("picture of sample %d: %w", sample, err)
	}
	a.pictures[sample] = b.Bytes()
	return nil
}

// albumFiles returns the pictures and captions.txt. Each of its lines contains the sample, two spaces, and the caption.
func (a *pictureAlbum) albumFiles() []sdk.ScoreFile {
	if len(a.pictures) == 0 {
		return nil
	}
	var captions strings.Builder
	var all []sdk.ScoreFile
	for _, sample := range a.samples {
		if picture, there := a.pictures[sample]; there {
			all = append(all, sdk.ScoreFile{Name: fmt.Sprintf("%s/%d.png", imagesFolder, sample), Data: picture})
			fmt.Fprintf(&captions, "%d  %s\n", sample, a.captions[sample])
		}
	}
	return append(all, sdk.ScoreFile{Name: imagesFolder + "/captions.txt", Data: []byte(captions.String())})
}

func (a *pictureAlbum) missingNotes() []string {
	if missing := len(a.samples) - len(a.pictures); missing > 0 && len(a.pictures) > 0 {
		return []string{fmt.Sprintf("%d of the %d pictures that the round asks for are not in the log", missing,
			len(a.samples))}
	}
	return nil
}

// payloadPicture is a picture in a payload as an image.Image.
type payloadPicture struct {
	levels        []byte
	width, height int
}

func (p payloadPicture) ColorModel() color.Model { return color.RGBAModel }
func (p payloadPicture) Bounds() image.Rectangle { return image.Rect(0, 0, p.width, p.height) }
func (p payloadPicture) Opaque() bool            { return true }

func (p payloadPicture) At(x, y int) color.Color {
	rgb := p.levels[3*(y*p.width+x):]
	return color.RGBA{R: rgb[0], G: rgb[1], B: rgb[2], A: 255}
}
