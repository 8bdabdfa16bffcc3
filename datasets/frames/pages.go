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

// ErrDataset is wrapped by every error of this package. It means that a data set is missing or invalid.
var ErrDataset = errors.New("data set of retrieval")

// FaultError contains all faults of a data set; errors.As finds it.
type FaultError = fault.DatasetError

// Official file names, and the suffix of pages.
const (
	MappingFile   = "url_mapping.json"
	QuestionsFile = "frames_dataset.tsv"
	pageSuffix    = ".html"
)

// WebPage is a web page.
type WebPage struct {
	Name string // file name
	URL  string // address of the page; empty: unknown
	HTML []byte // content of the file; not necessarily HTML or UTF-8
}

// PageFolder lists the pages in a folder.
type PageFolder struct {
	dir   string
	names []string
	urls  map[string]string
	// Skipped contains files whose suffix differs from .html only in upper or lower case, or is .htm or similar. The
	// reference skips them, too.
	Skipped []string
}

// Size limits of a page and of the mapping.
const (
	maxPageBytes    = 256 << 20
	maxMappingBytes = 256 << 20
)

// OpenPages lists the pages of a folder: its files *.html without subfolders, sorted by the bytes of their names. The
// optional file url_mapping.json in the same folder maps their names, without the suffix, to URLs.
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

// Len returns the number of pages.
func (p *PageFolder) Len() int { return len(p.names) }

// Unmapped returns the number of pages without a URL.
func (p *PageFolder) Unmapped() (n int) {
	for i := range p.names {
		if p.pageURL(i) == "" {
			n++
		}
	}
	return n
}

func (p *PageFolder) pageURL(i int) string { return p.urls[strings.TrimSuffix(p.names[i], pageSuffix)] }

// Page reads page i. If it cannot be read, the result has no HTML and the error is set.
func (p *PageFolder) Page(i int) (WebPage, error) {
	page := WebPage{Name: p.names[i], URL: p.pageURL(i)}
	var err error
	if page.HTML, err = bounded.ReadFile(filepath.Join(p.dir, page.Name), maxPageBytes); err != nil {
		return page, fmt.Errorf("%w: %w", ErrDataset, err)
	}
	return page, nil
}
