package coco

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/plumbline-ml/plumbline/datasets/internal/fault"
)

// ImageEntry is an entry of "images".
type ImageEntry struct {
	ID            int64
	Name          string // file_name: a path with slashes
	Width, Height int    // in pixels
}

// Category is an entry of "categories".
type Category struct {
	ID   int64
	Name string
}

// BoxAnnotation is an entry of "annotations": a true box.
type BoxAnnotation struct {
	ID       int64
	Image    int64      // ImageEntry.ID
	Category int64      // Category.ID
	Box      [4]float64 // x, y, width, height in pixels
	Area     float64    // of the object, not of the box, in pixels
	Crowd    bool       // the box covers a group of objects
}

// AnnotationFile is the content of an annotation file, in the order of the file.
type AnnotationFile struct {
	Images      []ImageEntry
	Categories  []Category
	Annotations []BoxAnnotation
}

// fileParser reads an annotation file as a stream, record by record. It never stores masks, which make up most of a
// file.
type fileParser struct {
	decoder *json.Decoder
	faults  *fault.FaultList
	file    AnnotationFile
	seen    map[string]bool // sections read so far

	images, annotations idSpace // IDs of images and of annotations
}

// sections lists the required sections of an annotation file.
var sections = [...]string{"images", "categories", "annotations"}

// parseFile reads an annotation file. It adds invalid records to faults and leaves them out. It returns an error if the
// text is not a JSON object or cannot be read.
func parseFile(r io.Reader, faults *fault.FaultList) (*AnnotationFile, error) {
	p := fileParser{decoder: json.NewDecoder(r), faults: faults, seen: map[string]bool{}}
	if err := p.readObject(); err != nil {
		return nil, fmt.Errorf("at byte %d: %w", p.decoder.InputOffset(), asTruncated(err))
	}
	for _, name := range sections {
		if !p.seen[name] {
			faults.Addf("", "it has no %q, want images, categories and annotations", name)
		}
	}
	p.assignNumbers()
	return &p.file, nil
}

// assignNumbers replaces text IDs with numbers.
func (p *fileParser) assignNumbers() {
	for name, s := range map[string]*idSpace{"images": &p.images, "annotations": &p.annotations} {
		if s.numbers && s.texts {
			p.faults.Addf("", "some ids of %s are numbers, and some are texts, which are never equal: want one of both", name)
		}
	}
	images, annotations := p.images.assignNumbers(), p.annotations.assignNumbers()
	become := func(id *int64, of []int64) {
		if *id >= 0 && *id < int64(len(of)) {
			*id = of[*id]
		}
	}
	for i := range p.file.Images {
		become(&p.file.Images[i].ID, images)
	}
	for i := range p.file.Annotations {
		box := &p.file.Annotations[i]
		become(&box.ID, annotations)
		become(&box.Image, images)
	}
}

func asTruncated(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("the text ends within the JSON object: it is truncated: %w", io.ErrUnexpectedEOF)
	}
	return err
}

func (p *fileParser) readObject() error {
	if err := p.expectDelimiter('{'); err != nil {
		return err
	}
	for p.decoder.More() {
		name, err := p.decoder.Token()
		if err != nil {
			return err
		}
		if err := p.readSection(name.(string)); err != nil {
			return err
		}
	}
	if err := p.expectDelimiter('}'); err != nil {
		return err
	}
	if _, err := p.decoder.Token(); err != io.EOF {
		return errors.New("more text after the JSON object")
	}
	return nil
}

func (p *fileParser) expectDelimiter(want json.Delim) error {
	found, err := p.decoder.Token()
	if err != nil {
		return err
	}
	if found != want {
		return fmt.Errorf("%v, want %v", found, want)
	}
	return nil
}

func (p *fileParser) readSection(name string) error {
	read := map[string]func(where string) error{
		"images": p.readImage, "categories": p.readCategory, "annotations": p.readAnnotation,
	}[name]
	if read == nil {
		var skipped json.RawMessage
		return p.decoder.Decode(&skipped)
	}
	if p.seen[name] {
		p.faults.Addf("", "it has %q twice, want once", name)
	}
	p.seen[name] = true
	if err := p.expectDelimiter('['); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	for i := 0; p.decoder.More(); i++ {
		if err := read(fmt.Sprintf("%s[%d]", name, i)); err != nil {
			return err
		}
	}
	return p.expectDelimiter(']')
}

// decodeRecord decodes one record into v. It reports an invalid record as a fault and returns false. An error ends
// parsing.
func (p *fileParser) decodeRecord(where string, v any) (bool, error) {
	err := p.decoder.Decode(v)
	var mistyped *json.UnmarshalTypeError
	switch {
	case errors.As(err, &mistyped) && mistyped.Field == "":
		p.faults.Addf(where, "it is %s, want an object", withArticle(mistyped.Value))
		return false, nil
	case errors.As(err, &mistyped):
		p.faults.Addf(where, "%q is %s, want %s", mistyped.Field, withArticle(mistyped.Value), describeType(mistyped.Type))
		return false, nil
	}
	return err == nil, err
}

// reportMissing reports the missing fields of a record as faults. fields alternates between a field's name and whether
// it is present.
func (p *fileParser) reportMissing(where string, fields ...any) bool {
	lacks := false
	for i := 0; i < len(fields); i += 2 {
		if !fields[i+1].(bool) {
			p.faults.Addf(where, "it has no %q", fields[i])
			lacks = true
		}
	}
	return lacks
}

func (p *fileParser) readImage(where string) error {
	var r struct {
		ID     *recordID    `json:"id"`
		Name   *string      `json:"file_name"`
		Width  *wholeNumber `json:"width"`
		Height *wholeNumber `json:"height"`
	}
	if ok, err := p.decodeRecord(where, &r); !ok {
		return err
	}
	if !p.reportMissing(where, "id", r.ID != nil, "file_name", r.Name != nil, "width", r.Width != nil,
		"height", r.Height != nil) {
		p.file.Images = append(p.file.Images, ImageEntry{p.images.numberOf(r.ID), *r.Name, int(*r.Width), int(*r.Height)})
	}
	return nil
}

func (p *fileParser) readCategory(where string) error {
	var r struct {
		ID   *categoryID `json:"id"`
		Name string      `json:"name"`
	}
	if ok, err := p.decodeRecord(where, &r); !ok {
		return err
	}
	if !p.reportMissing(where, "id", r.ID != nil) {
		p.file.Categories = append(p.file.Categories, Category{int64(*r.ID), r.Name})
	}
	return nil
}

func (p *fileParser) readAnnotation(where string) error {
	var r struct {
		ID       *recordID   `json:"id"`
		Image    *recordID   `json:"image_id"`
		Category *categoryID `json:"category_id"`
		Box      []float64   `json:"bbox"`
		Area     *float64    `json:"area"`
		Crowd    boolFlag    `json:"iscrowd"`
	}
	if ok, err := p.decodeRecord(where, &r); !ok {
		return err
	}
	if p.reportMissing(where, "id", r.ID != nil, "image_id", r.Image != nil, "category_id", r.Category != nil,
		"bbox", r.Box != nil, "area", r.Area != nil) {
		return nil
	}
	box := BoxAnnotation{ID: p.annotations.numberOf(r.ID), Image: p.images.numberOf(r.Image), Category: int64(*r.Category),
		Area: *r.Area, Crowd: bool(r.Crowd)}
	if len(r.Box) != len(box.Box) {
		p.faults.Addf(where, "id %v: bbox of %d numbers, want %d", r.ID, len(r.Box), len(box.Box))
		return nil
	}
	box.Box = [4]float64(r.Box)
	p.file.Annotations = append(p.file.Annotations, box)
	return nil
}
