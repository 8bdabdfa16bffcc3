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

// Where a safe subset is.
const (
	SafeFolder      = "val2017_safe"
	SafeAnnotations = "annotations/instances_val2017_safe.json"
	fullAnnotations = "annotations/instances_val2017.json"
)

// OpenSafe reads and checks the subset of COCO whose licences let a benchmark hand it on, as [Open] does: the pictures
// lie in val2017_safe, or in one of COCO's folders; the annotations have COCO's name, or that of the official script's
// output, which stands beside COCO's own and is preferred.
func OpenSafe(dir string, o ImageOptions) (*ImageSet, error) {
	o.Annotations, o.Folders = fullAnnotations, []string{SafeFolder, "val2017", "."}
	if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(SafeAnnotations))); err == nil {
		o.Annotations = SafeAnnotations
	}
	return Open(dir, o)
}

// safeLicences are parts of the addresses of licences that the benchmark's authors take for safe. by-nd has no slash at
// its end, so that by-nd-nc is among them.
var safeLicences = [...]string{
	"creativecommons.org/licenses/by/", "creativecommons.org/licenses/by-sa/", "creativecommons.org/licenses/by-nd",
	"flickr.com/commons/usage", "www.usa.gov",
}

// SafeSubset is the subset of an annotation file whose licences are safe.
type SafeSubset struct {
	Names    []string // of the pictures, paths with slashes, in the order of the file
	Images   int      // of the whole file
	sections []jsonSection
}

// jsonSection is a part of the file that is written; records keep the form that they had.
type jsonSection struct {
	name string
	text json.RawMessage
}

// Annotations is how many boxes belong to the images.
func (s *SafeSubset) Annotations() (n int) {
	for _, section := range s.sections {
		if list, ok := splitArray(section.text); ok && section.name == "annotations" {
			n = len(list)
		}
	}
	return n
}

// ReadSafe reads an annotation file of COCO and chooses the images whose licence is safe: that which "licenses" has
// under the image's own number; where it has none, or no address, the image is left out. An image that names no licence
// is a fault. The error lists every fault.
func ReadSafe(path string) (*SafeSubset, error) {
	f, err := bounded.OpenUpTo(path, maxAnnotationBytes)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDataset, err)
	}
	defer func() { _ = f.Close() }()
	var faults fault.FaultList
	s, err := readSafe(bufio.NewReaderSize(f, 1<<20), &faults)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrDataset, path, truncated(err))
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

// safeNumbers are the ids of licences that are safe.
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
		safe[int64(*l.ID)] = false // of several with one id the last counts
		for _, part := range safeLicences {
			safe[int64(*l.ID)] = safe[int64(*l.ID)] || strings.Contains(address, part)
		}
	}
	return safe
}

// chooseImages notes the names of safe images and returns their records and ids.
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

// WriteTo writes the annotation file of the subset: info, all licences, its images and their annotations in the order
// of the file, all categories.
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
