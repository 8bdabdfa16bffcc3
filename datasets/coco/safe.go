package coco

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/plumbline-ml/plumbline/datasets/internal/fault"
	"github.com/plumbline-ml/plumbline/internal/bounded"
)

// Paths of the safe subset, relative to the data set's folder.
const (
	SafeFolder      = "val2017_safe"
	SafeAnnotations = "annotations/instances_val2017_safe.json"
	fullAnnotations = "annotations/instances_val2017.json"
)

// OpenSafe reads and checks the subset of COCO whose licences allow redistribution, as [Open] does. The pictures are in
// val2017_safe or in one of COCO's folders. If SafeAnnotations, the official script's output, exists, it is used;
// otherwise the annotations must be in the file with COCO's name.
func OpenSafe(dir string, o ImageOptions) (*ImageSet, error) {
	o.Annotations, o.Folders = fullAnnotations, []string{SafeFolder, "val2017", "."}
	if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(SafeAnnotations))); err == nil {
		o.Annotations = SafeAnnotations
	}
	return Open(dir, o)
}

// safeLicences contains parts of the URLs of licences that the benchmark's authors consider safe. The entry by-nd has
// no final slash so that it also matches by-nd-nc.
var safeLicences = [...]string{
	"creativecommons.org/licenses/by/", "creativecommons.org/licenses/by-sa/", "creativecommons.org/licenses/by-nd",
	"flickr.com/commons/usage", "www.usa.gov",
}

// SafeSubset is the part of an annotation file with safe licences.
type SafeSubset struct {
	Names    []string // paths of the pictures, with slashes, in the order of the file
	Images   int      // number of images in the whole file
	sections []jsonSection
}

// jsonSection is a section of the written file. Its records are copied unchanged.
type jsonSection struct {
	name string
	text json.RawMessage
}

// Annotations returns the number of boxes in the subset's images.
func (s *SafeSubset) Annotations() (n int) {
	for _, section := range s.sections {
		if list, ok := splitArray(section.text); ok && section.name == "annotations" {
			n = len(list)
		}
	}
	return n
}

// ReadSafe reads an annotation file of COCO and selects the images with a safe licence. It looks up an image's licence
// number in "licenses". It leaves out images whose licence is not listed there or has no URL. An image without a
// licence number is a fault. The error lists every fault.
func ReadSafe(path string) (*SafeSubset, error) {
	f, err := bounded.OpenUpTo(path, maxAnnotationBytes)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDataset, err)
	}
	defer func() { _ = f.Close() }()
	var faults fault.FaultList
	s, err := readSafe(bufio.NewReaderSize(f, 1<<20), &faults)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrDataset, path, asTruncated(err))
	}
	return s, faults.Err(ErrDataset, path)
}

func readSafe(r io.Reader, faults *fault.FaultList) (*SafeSubset, error) {
	var file map[string]json.RawMessage
	d := json.NewDecoder(r)
	if err := d.Decode(&file); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("more text after the JSON object")
	}
	info := file["info"]
	if info == nil {
		info = json.RawMessage("{}")
	}
	lists := map[string][]json.RawMessage{}
	for _, name := range [...]string{"licenses", "images", "annotations", "categories"} {
		list, ok := splitArray(file[name])
		if !ok {
			faults.Addf("", "%q is missing or no list", name)
		}
		lists[name] = list
	}
	s := &SafeSubset{Images: len(lists["images"])}
	images, ids := s.chooseImages(lists["images"], safeNumbers(lists["licenses"], faults), faults)
	boxes := chooseAnnotations(lists["annotations"], ids, faults)
	s.sections = []jsonSection{
		{"info", info}, {"licenses", file["licenses"]}, {"images", joinArray(images)}, {"annotations", joinArray(boxes)},
		{"categories", file["categories"]},
	}
	return s, nil
}

func splitArray(text json.RawMessage) (list []json.RawMessage, ok bool) {
	return list, json.Unmarshal(text, &list) == nil && text != nil && list != nil
}

// safeNumbers returns the IDs of the safe licences.
func safeNumbers(licences []json.RawMessage, faults *fault.FaultList) map[int64]bool {
	safe := map[int64]bool{}
	for i, text := range licences {
		var l struct {
			ID  *wholeNumber `json:"id"`
			URL string       `json:"url"`
		}
		if err := json.Unmarshal(text, &l); err != nil || l.ID == nil {
			faults.Addf(fmt.Sprintf("licenses[%d]", i), "%.200s, want an object with an id, and a url that is a text", text)
			continue
		}
		address := strings.ToLower(l.URL)
		safe[int64(*l.ID)] = false // if several entries have the same ID, the last one counts
		for _, part := range safeLicences {
			safe[int64(*l.ID)] = safe[int64(*l.ID)] || strings.Contains(address, part)
		}
	}
	return safe
}

// chooseImages records the names of safe images and returns their records and IDs.
func (s *SafeSubset) chooseImages(images []json.RawMessage, safe map[int64]bool, faults *fault.FaultList) (
	chosen []json.RawMessage, ids map[recordID]bool,
) {
	ids = map[recordID]bool{}
	for i, text := range images {
		var im struct {
			ID      *recordID    `json:"id"`
			Name    *string      `json:"file_name"`
			Licence *wholeNumber `json:"license"`
		}
		err := json.Unmarshal(text, &im)
		switch {
		case err != nil || im.ID == nil || im.Name == nil:
			faults.Addf(fmt.Sprintf("images[%d]", i), "%.200s, want an object with id, file_name and license", text)
		case im.Licence == nil:
			faults.Addf(fmt.Sprintf("images[%d]", i), "id %v has no license, want the id of one", im.ID)
		case !filepath.IsLocal(filepath.FromSlash(*im.Name)) || strings.ContainsRune(*im.Name, 0):
			faults.Addf(fmt.Sprintf("images[%d]", i), "the name %.100q is no path inside the data set's folder", *im.Name)
		case safe[int64(*im.Licence)]:
			s.Names = append(s.Names, *im.Name)
			chosen, ids[*im.ID] = append(chosen, text), true
		}
	}
	return chosen, ids
}

func chooseAnnotations(all []json.RawMessage, images map[recordID]bool,
	faults *fault.FaultList) (chosen []json.RawMessage) {
	for i, text := range all {
		var a struct {
			Image *recordID `json:"image_id"`
		}
		if err := json.Unmarshal(text, &a); err != nil || a.Image == nil {
			faults.Addf(fmt.Sprintf("annotations[%d]", i), "%.200s, want an object with an image_id", text)
		} else if images[*a.Image] {
			chosen = append(chosen, text)
		}
	}
	return chosen
}

func joinArray(records []json.RawMessage) json.RawMessage {
	text := []byte{'['}
	for i, r := range records {
		if i > 0 {
			text = append(text, ", "...)
		}
		text = append(text, r...)
	}
	return append(text, ']')
}

// WriteTo writes the subset's annotation file: info, all licences, the subset's images and annotations in the order of
// the original file, and all categories.
func (s *SafeSubset) WriteTo(w io.Writer) (n int64, err error) {
	b := bufio.NewWriterSize(w, 1<<20)
	for i, section := range s.sections {
		start := ", "
		if i == 0 {
			start = "{"
		}
		k, err := fmt.Fprintf(b, "%s%q: %s", start, section.name, section.text)
		if n += int64(k); err != nil {
			return n, err
		}
	}
	k, err := b.WriteString("}\n")
	return n + int64(k), errors.Join(err, b.Flush())
}
