package export

import (
	"context"
	"encoding/binary"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"github.com/plumbline-ml/plumbline/datasets/coco2014"
	"github.com/plumbline-ml/plumbline/internal/npy"
	"github.com/plumbline-ml/plumbline/internal/synthetic/captioned"
)

// Captioned writes pictures below the folder dir, the initial noise of generated pictures in latents/latents.npy, and
// captions/captions.tsv: the layout of COCO-2014 for text to image. It writes the captions last, so a folder with
// captions is complete.
func Captioned(ctx context.Context, dir string, set captioned.Set, first, end int) error {
	if err := inRange(first, end, set.Len()); err != nil {
		return err
	}
	pictures := filepath.Join(dir, pictureFolder)
	if err := os.MkdirAll(pictures, 0o777); err != nil {
		return fmt.Errorf("make the folder of the data set: %w", err)
	}
	err := onAllCores(ctx, first, end, func(i int) error {
		return os.WriteFile(filepath.Join(pictures, set.Name(i)), set.PNG(i), 0o666)
	})
	if err != nil {
		return fmt.Errorf("write pictures: %w", err)
	}
	if err := writeFile(coco2014.FindLatents(dir), writeLatent); err != nil {
		return err
	}
	return writeFile(filepath.Join(dir, coco2014.CaptionsFile), func(w io.Writer) error {
		return writeCaptions(w, set, first, end)
	})
}

func writeLatent(w io.Writer) error {
	if _, err := w.Write(npy.AppendHeader(nil, "<f4", captioned.LatentShape[:]...)); err != nil {
		return err
	}
	return binary.Write(w, binary.LittleEndian, captioned.Latent())
}

func writeCaptions(w io.Writer, set captioned.Set, first, end int) error {
	rows := csv.NewWriter(w)
	rows.Comma = '\t'
	names := []string{"id", "image_id", "caption", "height", "width", "file_name", "coco_url"}
	if err := rows.Write(names); err != nil {
		return err
	}
	side := strconv.Itoa(captioned.Side)
	for i := first; i < end; i++ {
		id := strconv.Itoa(i)
		if err := rows.Write([]string{id, id, set.Caption(i), side, side, set.Name(i), ""}); err != nil {
			return err
		}
	}
	rows.Flush()
	return rows.Error()
}
