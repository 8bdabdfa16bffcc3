package coco

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/plumbline-ml/plumbline/datasets/internal/fault"
)

// Image is an entry of "images".
type Image struct {
	ID            int64
	Name          string // file_name: a path with slashes
	Width, Height int    // in pixels
}

// Category is an entry of "categories".
type Category struct {
	ID   int64
	Name string
}

// Annotation is an entry of "annotations": a true box.
type Annotation struct {
	ID       int64
	Image    int64      // Image.ID
	Category int64      // Category.ID
	Box      [4]float64 // x, y, width, height in pixels
	Area     float64    // in pixels, of the object and not of the box
	Crowd    bool       // a region of many objects
}

// File is what an annotation file says, in its order.
type File struct {
	Images      []Image
	Categories  []Category
	Annotations []Annotation
}

// parser reads an annotation file as a stream, one record after another: masks, which are most of
// a file, are never held.
type parser struct {
	decoder *json.Decoder
	faults  *fault.List
	file    File
	seen    map[string]bool // sections

	images, annotations space // of identifiers
}

// sections are what an annotation file must have.
var sections = [...]string{"images", "categories", "annotations"}

// parse reads an annotation file. Records that are wrong in themselves are added to faults, and left out. An error says
// that the text is not a JSON object, or how its reading failed.
func parse(r io.Reader, faults *fault.List) (*File, error) {
	p := parser{decoder: json.NewDecoder(r), faults: faults, seen: map[string]bool{}}
	if err := p.object(); err != nil {
		return nil, fmt.Errorf("at byte %d: %w", p.decoder.InputOffset(), truncated(err))
	}
	for _, name := range sections {
		if !p.seen[name] {
			faults.Addf("", "it has no %q, want images, categories and annotations", name)
		}
	}
	p.settle()
	return &p.file, nil
}

// settle gives their numbers to identifiers that are texts.
func (p *parser) settle() {
	for name, s := range map[string]*space{"images": &p.images, "annotations": &p.annotations} {
		if s.numbers && s.texts {
			p.faults.Addf("", "some ids of %s are numbers, and some are texts, which are never equal: want one of both", name)
		}
	}
	images, annotations := p.images.settle(), p.annotations.settle()
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

func truncated(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("the text ends within the JSON object: it is truncated: %w", io.ErrUnexpectedEOF)
	}
	return err
}

func (p *parser) object() error {
	if err := p.delimiter('{'); err != nil {
		return err
	}
	for p.decoder.More() {
		name, err := p.decoder.Token()
		if err != nil {
			return err
		}
		if err := p.section(name.(string)); err != nil {
			return err
		}
	}
	if err := p.delimiter('}'); err != nil {
		return err
	}
	if _, err := p.decoder.Token(); err != io.EOF {
		return errors.New("more text after the JSON object")
	}
	return nil
}

func (p *parser) delimiter(want json.Delim) error {
	found, err := p.decoder.Token()
	if err != nil {
		return err
	}
	if found != want {
		return fmt.Errorf("%v, want %v", found, want)
	}
	return nil
}

func (p *parser) section(name string) error {
	read := map[string]func(where string) error{
		"images": p.image, "categories": p.category, "annotations": p.annotation,
	}[name]
	if read == nil {
		var skipped json.RawMessage
		return p.decoder.Decode(&skipped)
	}
	if p.seen[name] {
		p.faults.Addf("", "it has %q twice, want once", name)
	}
	p.seen[name] = true
	if err := p.delimiter('['); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	for i := 0; p.decoder.More(); i++ {
		if err := read(fmt.Sprintf("%s[%d]", name, i)); err != nil {
			return err
		}
	}
	return p.delimiter(']')
}

// record decodes one record into v. It is false if the record is wrong, which it reports; an error ends the reading.
func (p *parser) record(where string, v any) (bool, error) {
	err := p.decoder.Decode(v)
	var mistyped *json.UnmarshalTypeError
	switch {
	case errors.As(err, &mistyped) && mistyped.Field == "":
		p.faults.Addf(where, "it is %s, want an object", a(mistyped.Value))
		return false, nil
	case errors.As(err, &mistyped):
		p.faults.Addf(where, "%q is %s, want %s", mistyped.Field, a(mistyped.Value), wanted(mistyped.Type))
		return false, nil
	}
	return err == nil, err
}

// missing reports the fields that a record lacks, of pairs of a name and whether it is there.
func (p *parser) missing(where string, fields ...any) bool {
	lacks := false
	for i := 0; i < len(fields); i += 2 {
		if !fields[i+1].(bool) {
			p.faults.Addf(where, "it has no %q", fields[i])
			lacks = true
		}
	}
	return lacks
}

func (p *parser) image(where string) error {
	var r struct {
		ID     *id     `json:"id"`
		Name   *string `json:"file_name"`
		Width  *whole  `json:"width"`
		Height *whole  `json:"height"`
	}
	if ok, err := p.record(where, &r); !ok {
		return err
	}
	if !p.missing(where, "id", r.ID != nil, "file_name", r.Name != nil, "width", r.Width != nil,
		"height", r.Height != nil) {
		p.file.Images = append(p.file.Images, Image{p.images.of(r.ID), *r.Name, int(*r.Width), int(*r.Height)})
	}
	return nil
}

func (p *parser) category(where string) error {
	var r struct {
		ID   *label `json:"id"`
		Name string `json:"name"`
	}
	if ok, err := p.record(where, &r); !ok {
		return err
	}
	if !p.missing(where, "id", r.ID != nil) {
		p.file.Categories = append(p.file.Categories, Category{int64(*r.ID), r.Name})
	}
	return nil
}

func (p *parser) annotation(where string) error {
	var r struct {
		ID       *id       `json:"id"`
		Image    *id       `json:"image_id"`
		Category *label    `json:"category_id"`
		Box      []float64 `json:"bbox"`
		Area     *float64  `json:"area"`
		Crowd    flag      `json:"iscrowd"`
	}
	if ok, err := p.record(where, &r); !ok {
		return err
	}
	if p.missing(where, "id", r.ID != nil, "image_id", r.Image != nil, "category_id", r.Category != nil,
		"bbox", r.Box != nil, "area", r.Area != nil) {
		return nil
	}
	box := Annotation{ID: p.annotations.of(r.ID), Image: p.images.of(r.Image), Category: int64(*r.Category),
		Area: *r.Area, Crowd: bool(r.Crowd)}
	if len(r.Box) != len(box.Box) {
		p.faults.Addf(where, "id %v: bbox of %d numbers, want %d", r.ID, len(r.Box), len(box.Box))
		return nil
	}
	box.Box = [4]float64(r.Box)
	p.file.Annotations = append(p.file.Annotations, box)
	return nil
}
