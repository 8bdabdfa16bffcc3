package igbh

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"unsafe"

	"github.com/plumbline-ml/plumbline/datasets/graph"
	"github.com/plumbline-ml/plumbline/datasets/internal/fault"
	"github.com/plumbline-ml/plumbline/datasets/internal/mapped"
)

var _ graph.FeatureStore = (*FeatureFiles)(nil)

// FeatureFiles contains the features of all nodes in memory-mapped files.
type FeatureFiles struct {
	width int
	files [typeCount]featureFile
}

// featureFile contains the features of one node type.
type featureFile struct {
	path   string
	memory *mapped.MappedFile
	offset int64
	length int64
	nodes  int
}

// OpenFeatures maps only the features in DIR/SIZE/processed. An empty size selects the only size in the folder. The
// error lists every fault, as in Open. The caller must close the result.
func OpenFeatures(dir, size string) (*FeatureFiles, error) {
	folder, size, err := findSize(dir, size)
	if err != nil {
		return nil, err
	}
	var faults fault.FaultList
	s := openFeatures(folder, size, &faults)
	if err := faults.Err(ErrDataset, folder); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// openFeatures maps the features of all types and counts their nodes.
func openFeatures(folder, size string, faults *fault.FaultList) *FeatureFiles {
	s := new(FeatureFiles)
	var headed [typeCount]bool
	for i, name := range TypeNames() {
		path := filepath.Join(folder, name, "node_feat.npy")
		shape, err := s.files[i].openFile(path, isRawSize(size) && (i == Paper || i == Author))
		switch {
		case err != nil:
			faults.Addf(path, "%v", err)
		case shape == nil:
		case len(shape) != 2 || shape[1] < 1:
			faults.Addf(path, "an array of %v, want one of [nodes width]", shape)
		case s.width != 0 && s.width != shape[1]:
			faults.Addf(path, "%d features of a node, and of other types %d", shape[1], s.width)
		default:
			s.width, s.files[i].nodes, headed[i] = shape[1], shape[0], true
		}
	}
	for i := range s.files {
		if !headed[i] {
			s.files[i].countRaw(s.width, faults)
		}
	}
	return s
}

// openFile maps a file. shape is nil if the file has no header.
func (f *featureFile) openFile(path string, raw bool) (shape []int, err error) {
	e, err := openElements(path, "<f4", 4, raw)
	if err != nil {
		return nil, err
	}
	f.path, f.offset, f.length = path, e.offset, e.length
	if e.header != nil {
		shape = e.header.Shape
	}
	if err := e.Close(); err != nil {
		return nil, err
	}
	f.memory, err = mapped.Open(path)
	return shape, err
}

// countRaw computes the number of nodes in a file without a header, from the width of the other files.
func (f *featureFile) countRaw(width int, faults *fault.FaultList) {
	if f.memory == nil || width == 0 {
		return
	}
	row := int64(4 * width)
	if f.length%row != 0 {
		faults.Addf(f.path,
			"%d bytes without a header are not whole nodes of %d features, as those of "+
				"other types: is the file "+
				"complete?", f.length, width)
	}
	f.nodes = int(f.length / row)
}

// Types returns the node types of IGBH with their numbers of nodes.
func (s *FeatureFiles) Types() []graph.NodeType {
	var c NodeCounts
	for i := range s.files {
		c[i] = s.files[i].nodes
	}
	return c.NodeTypes()
}

// Width returns the number of features per node.
func (s *FeatureFiles) Width() int { return s.width }

// Gather copies the features of nodes of one type into dst.
func (s *FeatureFiles) Gather(_ context.Context, dst []float32, nodeType int, nodes []uint32) error {
	if nodeType < 0 || nodeType >= typeCount || len(dst) != len(nodes)*s.width {
		return fmt.Errorf("%w: %d nodes of type %d into room for %d values", ErrDataset, len(nodes), nodeType, len(dst))
	}
	f := &s.files[nodeType]
	for i, v := range nodes {
		if int64(v) >= int64(f.nodes) {
			return fmt.Errorf("%w: node %d at position %d, and %s has %d nodes", ErrDataset, v, i, f.path, f.nodes)
		}
	}
	if len(nodes) == 0 {
		return nil
	}
	room := unsafe.Slice((*byte)(unsafe.Pointer(&dst[0])), 4*len(dst))
	if err := mapped.CatchFaults(func() { f.copyRows(room, nodes, int64(4*s.width)) }); err != nil {
		return fmt.Errorf("%w: %s: %w", ErrDataset, f.path, err)
	}
	return nil
}

func (f *featureFile) copyRows(dst []byte, nodes []uint32, row int64) {
	memory := f.memory.Bytes()[f.offset:]
	for i, v := range nodes {
		copy(dst[int64(i)*row:][:row], memory[int64(v)*row:])
	}
}

// Close unmaps the files.
func (s *FeatureFiles) Close() error {
	var all []error
	for i := range s.files {
		if s.files[i].memory != nil {
			all = append(all, s.files[i].memory.Close())
		}
	}
	return errors.Join(all...)
}
