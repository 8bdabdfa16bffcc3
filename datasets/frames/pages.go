package frames

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/datasets/internal/fault"
	"github.com/plumbline-ml/plumbline/internal/bounded"
)

// ErrDataset is what every error of this package is: a data set that is missing or wrong.
var ErrDataset = errors.New("data set of retrieval")

// FaultError contains all faults of a data set; errors.As finds it.
type FaultError = fault.DatasetError

// The official names.
const (
	MappingFile   = "url_mapping.json"
	QuestionsFile = "frames_dataset.tsv"
	pageSuffix    = ".html"
)

// WebPage is a web page.
type WebPage struct {
	Name string // of its file
	URL  string // where it was; empty: not known
	HTML []byte // whose bytes may be no HTML, and not UTF-8
}

// PageFolder contains the pages of a folder.
type PageFolder struct {
	dir   string
	names []string
	urls  map[string]string
	// Skipped are files beside the pages whose names differ from theirs in the case or the letters of .html alone: the
	// reference leaves them out, too.
	Skipped []string
}

// maxPageBytes bounds the bytes of a page, and maxMappingBytes those of the mapping.
const (
	maxPageBytes    = 256 << 20
	maxMappingBytes = 256 << 20
)

// OpenPages lists the pages of a folder: the files *.html directly in it, in the order of the bytes of their names.
// url_mapping.json beside them, which may be missing, says where they were, by names without the last ending.
func OpenPages(dir string) (*PageFolder, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("%w: %w; want a folder of *%s", ErrDataset, err, pageSuffix)
	}
	p := &PageFolder{dir: dir, urls: map[string]string{}}
	for _, e := range entries {
		switch name := e.Name(); {
		case e.IsDir():
		case strings.HasSuffix(name, pageSuffix):
			p.names = append(p.names, name)
		case slices.Contains([]string{".htm", pageSuffix}, strings.ToLower(filepath.Ext(name))):
			p.Skipped = append(p.Skipped, name)
		}
	}
	slices.Sort(p.names)
	if len(p.names) == 0 {
		return nil, fmt.Errorf("%w: %s holds no *%s directly in it", ErrDataset, dir, pageSuffix)
	}
	text, err := bounded.ReadFile(filepath.Join(dir, MappingFile), maxMappingBytes)
	if errors.Is(err, os.ErrNotExist) {
		return p, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &p.urls)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w; want an object of texts: the name of a page without its last ending, its URL",
			ErrDataset, filepath.Join(dir, MappingFile), err)
	}
	return p, nil
}

// Len is how many pages there are.
func (p *PageFolder) Len() int { return len(p.names) }

// Unmapped is how many pages have no URL.
func (p *PageFolder) Unmapped() (n int) {
	for i := range p.names {
		if p.pageURL(i) == "" {
			n++
		}
	}
	return n
}

func (p *PageFolder) pageURL(i int) string { return p.urls[strings.TrimSuffix(p.names[i], pageSuffix)] }

// Page reads page i. One that cannot be read is returned without HTML, beside the error.
func (p *PageFolder) Page(i int) (WebPage, error) {
	page := WebPage{Name: p.names[i], URL: p.pageURL(i)}
	var err error
	if page.HTML, err = bounded.ReadFile(filepath.Join(p.dir, page.Name), maxPageBytes); err != nil {
		return page, fmt.Errorf("%w: %w", ErrDataset, err)
	}
	return page, nil
}
