package record

import (
	"strings"

	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/sdk"
)

// Part is one of several models of a workload or a scorer.
type Part struct {
	Name      string `json:"name"`
	File      string `json:"file"` // name or path of the file or folder
	Embedded  bool   `json:"embedded"`
	Precision string `json:"precision"`
	SHA256    string `json:"sha256"` // of the file, or over all files; empty if a server runs its own model
	Size      int64  `json:"size"`   // size of all files in bytes
	// Files lists the files of a folder or of a model in several files; empty if there is only one file or too many.
	Files   []File   `json:"files,omitempty"`
	Inputs  []Tensor `json:"inputs"`
	Outputs []Tensor `json:"outputs"`
}

// Tensor is an input or output of an opened model.
type Tensor struct {
	Name  string  `json:"name"`
	Type  string  `json:"type"`  // "float32"
	Shape []int64 `json:"shape"` // -1: any size
}

// partsOf converts the reports on opened parts.
func partsOf(reports []sdk.PartReport) []Part {
	var all []Part
	for _, r := range reports {
		p := Part{
			Name: r.Name, File: r.File, Embedded: r.Embedded, Precision: r.Precision, SHA256: r.SHA256, Size: r.Size,
			Inputs: tensorsOf(r.Inputs), Outputs: tensorsOf(r.Outputs),
		}
		for _, f := range r.Files {
			p.Files = append(p.Files, File{Path: f.Name, Size: f.Size, SHA256: f.SHA256})
		}
		all = append(all, p)
	}
	return all
}

func tensorsOf(list []sdk.TensorReport) []Tensor {
	tensors := make([]Tensor, len(list))
	for i, t := range list {
		tensors[i] = Tensor(t)
	}
	return tensors
}

// partText describes the part with its file.
func (p Part) partText() string {
	texts := []string{p.Name, p.File}
	if p.Embedded {
		texts[1] = "embedded"
	}
	if p.Precision != "" {
		texts = append(texts, p.Precision)
	}
	if p.Size > 0 {
		texts = append(texts, figure.Bytes(p.Size))
	}
	return strings.Join(texts, ", ")
}
