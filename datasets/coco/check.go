package coco

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"github.com/plumbline-ml/plumbline/datasets/internal/fault"
)

// boxTolerance is the number of pixels that a box may extend beyond its picture, because boxes are rounded.
const boxTolerance = 1

// annotationChecker contains the images and categories to which annotations refer.
type annotationChecker struct {
	faults     *fault.FaultList
	images     map[int64]*ImageEntry
	categories map[int64]bool
}

// checkRecords adds inconsistencies within the file to faults.
func (f *AnnotationFile) checkRecords(o ImageOptions, faults *fault.FaultList) {
	c := annotationChecker{faults, make(map[int64]*ImageEntry, len(f.Images)), make(map[int64]bool, len(f.Categories))}
	if len(f.Images) == 0 && faults.Len() == 0 {
		faults.Addf("", "it lists no image")
	}
	c.checkImages(f.Images)
	c.checkCategories(f.Categories, o.Classes)
	ids := make(map[int64]bool, len(f.Annotations))
	for i := range f.Annotations {
		a := &f.Annotations[i]
		problem := c.checkAnnotation(a)
		if ids[a.ID] {
			problem = "the id is that of an earlier one"
		}
		ids[a.ID] = true
		if problem != "" {
			faults.Addf(fmt.Sprintf("annotation %d (id %d)", i, a.ID), "%s", problem)
		}
	}
}

func (c *annotationChecker) checkImages(images []ImageEntry) {
	names := make(map[string]bool, len(images))
	for i := range images {
		im := &images[i]
		where := fmt.Sprintf("image %d (%.100q)", i, im.Name)
		if c.images[im.ID] != nil {
			c.faults.Addf(where, "id %d is that of an earlier one", im.ID)
		} else {
			c.images[im.ID] = im
		}
		if names[im.Name] {
			c.faults.Addf(where, "the name is that of an earlier one")
		}
		if im.Width <= 0 || im.Height <= 0 {
			c.faults.Addf(where, "%d x %d pixels, want at least 1 x 1", im.Width, im.Height)
		}
		if !filepath.IsLocal(filepath.FromSlash(im.Name)) || strings.ContainsRune(im.Name, 0) {
			c.faults.Addf(where, "the name is no path inside the data set's folder")
		}
		names[im.Name] = true
	}
}

func (c *annotationChecker) checkCategories(categories []Category, classes int) {
	if classes > 0 && len(categories) != classes {
		c.faults.Addf("", "%d categories, want %d", len(categories), classes)
	}
	for i, k := range categories {
		where := fmt.Sprintf("category %d (%.100q)", i, k.Name)
		switch {
		case c.categories[k.ID]:
			c.faults.Addf(where, "id %d is that of an earlier one", k.ID)
		case classes > 0 && k.ID != int64(i):
			c.faults.Addf(where, "id %d, want %d", k.ID, i)
		}
		c.categories[k.ID] = true
	}
}

// checkAnnotation returns what is wrong with a, or "".
func (c *annotationChecker) checkAnnotation(a *BoxAnnotation) string {
	im := c.images[a.Image]
	x, y, w, h := a.Box[0], a.Box[1], a.Box[2], a.Box[3]
	switch {
	case im == nil:
		return fmt.Sprintf("image_id %d, want the id of an image", a.Image)
	case !c.categories[a.Category]:
		return fmt.Sprintf("category_id %d, want the id of a category", a.Category)
	case w < 0 || h < 0:
		return fmt.Sprintf("bbox %v is inverted: want x, y, width, height", a.Box)
	case x < -boxTolerance || y < -boxTolerance || x+w > float64(im.Width)+boxTolerance ||
		y+h > float64(im.Height)+boxTolerance:
		return fmt.Sprintf("bbox %v reaches out of its picture of %d x %d", a.Box, im.Width, im.Height)
	case a.Area < 0 || math.IsNaN(a.Area):
		return fmt.Sprintf("area %v, want at least 0", a.Area)
	}
	return ""
}
