package export

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/plumbline-ml/plumbline/datasets/coco"
	"github.com/plumbline-ml/plumbline/internal/synthetic/scenes"
)

// pictureFolder is the folder of the pictures, below the data set's folder.
const pictureFolder = "validation/data"

// Scenes writes one or more pictures below the folder dir, and their boxes in annotations/openimages-mlperf.json in the
// same order: the benchmark's layout of OpenImages. It writes the annotations last, so a folder with annotations is
// complete.
func Scenes(ctx context.Context, dir string, set scenes.Set, first, end int) error {
	if err := inRange(first, end, set.Len()); err != nil {
		return err
	}
	if first == end {
		return errors.New("no pictures: annotations need at least one")
	}
	pictures, list := filepath.Join(dir, pictureFolder), filepath.Join(dir, coco.OpenImagesAnnotations)
	for _, folder := range []string{pictures, filepath.Dir(list)} {
		if err := os.MkdirAll(folder, 0o777); err != nil {
			return fmt.Errorf("make the folder of the data set: %w", err)
		}
	}
	err := onAllCores(ctx, first, end, func(i int) error {
		return os.WriteFile(filepath.Join(pictures, set.Name(i)), set.PNG(i), 0o666)
	})
	if err != nil {
		return fmt.Errorf("write pictures: %w", err)
	}
	text, err := json.Marshal(annotations(set, first, end))
	if err != nil {
		return fmt.Errorf("write the annotations: %w", err)
	}
	if err := os.WriteFile(list, text, 0o666); err != nil {
		return fmt.Errorf("write the annotations: %w", err)
	}
	return nil
}

// sceneFile is an annotation file in COCO's form.
type sceneFile struct {
	Images      []sceneImage `json:"images"`
	Categories  []sceneClass `json:"categories"`
	Annotations []sceneBox   `json:"annotations"`
}

type sceneImage struct {
	ID     int    `json:"id"`
	Name   string `json:"file_name"`
	Width  int    `json:"width"`
	Height int    `json:"height"`
}

type sceneClass struct {
	ID   int    `json:"id"`
	Name string `json:"name"`
}

type sceneBox struct {
	ID       int        `json:"id"`
	Image    int        `json:"image_id"`
	Category int        `json:"category_id"`
	Box      [4]float64 `json:"bbox"`
	Area     float64    `json:"area"`
	Crowd    int        `json:"iscrowd"`
}

// annotations returns the annotations. Ids of images and boxes begin at 1, because the COCO evaluation treats a box
// with the id 0 as missing.
func annotations(set scenes.Set, first, end int) sceneFile {
	var f sceneFile
	for c := range scenes.Classes {
		f.Categories = append(f.Categories, sceneClass{c, scenes.ClassName(c)})
	}
	for i := first; i < end; i++ {
		p, id := set.Picture(i), i-first+1
		f.Images = append(f.Images, sceneImage{id, set.Name(i), p.Width, p.Height})
		for _, o := range p.Objects {
			a := sceneBox{ID: len(f.Annotations) + 1, Image: id, Category: o.Class, Box: o.Box, Area: o.Area}
			if o.Crowd {
				a.Crowd = 1
			}
			f.Annotations = append(f.Annotations, a)
		}
	}
	return f
}
