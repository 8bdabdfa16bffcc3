// Package export writes the synthetic scenes to a folder in the layout of OpenImages as the benchmark uses it, for
// training scripts and for other programs that read it.
package export

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/plumbline-ml/plumbline/datasets/openimages"
	"github.com/plumbline-ml/plumbline/datasets/synthetic/scenes"
)

// pictureFolder is where the pictures go, below the data set's folder.
const pictureFolder = "validation/data"

// Scenes writes pictures [first, end) of set below dir, and their boxes in annotations/openimages-mlperf.json in the same
// order. It makes dir where it is missing, replaces files of the same names, draws on all cores, and stops at the first
// error or when ctx ends. The annotations are written last: a folder that has them is complete.
func Scenes(ctx context.Context, dir string, set scenes.Set, first, end int) error {
	if first < 0 || first >= end || end > set.Len() {
		return fmt.Errorf("pictures %d to %d of %d: want 0 <= first < end <= %d", first, end, set.Len(), set.Len())
	}
	pictures, list := filepath.Join(dir, pictureFolder), filepath.Join(dir, openimages.Annotations)
	for _, folder := range []string{pictures, filepath.Dir(list)} {
		if err := os.MkdirAll(folder, 0o777); err != nil {
			return fmt.Errorf("make the folder of the data set: %w", err)
		}
	}
	err := parallel(ctx, first, end, func(i int) error {
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

// file is an annotation file in COCO's form.
type file struct {
	Images      []image      `json:"images"`
	Categories  []category   `json:"categories"`
	Annotations []annotation `json:"annotations"`
}

type image struct {
	ID     int    `json:"id"`
	Name   string `json:"file_name"`
	Width  int    `json:"width"`
	Height int    `json:"height"`
}

type category struct {
	ID   int    `json:"id"`
	Name string `json:"name"`
}

type annotation struct {
	ID       int        `json:"id"`
	Image    int        `json:"image_id"`
	Category int        `json:"category_id"`
	Box      [4]float64 `json:"bbox"`
	Area     float64    `json:"area"`
	Crowd    int        `json:"iscrowd"`
}

// annotations counts images and boxes from 1: the COCO evaluation takes a box's id 0 for none.
func annotations(set scenes.Set, first, end int) file {
	var f file
	for c := range scenes.Classes {
		f.Categories = append(f.Categories, category{c, scenes.ClassName(c)})
	}
	for i := first; i < end; i++ {
		p, id := set.Picture(i), i-first+1
		f.Images = append(f.Images, image{id, set.Name(i), p.Width, p.Height})
		for _, o := range p.Objects {
			a := annotation{ID: len(f.Annotations) + 1, Image: id, Category: o.Class, Box: o.Box, Area: o.Area}
			if o.Crowd {
				a.Crowd = 1
			}
			f.Annotations = append(f.Annotations, a)
		}
	}
	return f
}

// parallel calls do for each of [first, end) on all cores, until the first error.
func parallel(ctx context.Context, first, end int, do func(i int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	next := atomic.Int64{}
	next.Store(int64(first))
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < end && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				if err := do(i); err != nil {
					cancel(err)
				}
			}
		})
	}
	workers.Wait()
	return context.Cause(ctx)
}
