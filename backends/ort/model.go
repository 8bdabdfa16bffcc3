package ort

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/onnx"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	onnxruntime "github.com/yalue/onnxruntime_go"
)

// modelSource is the source of a model.
type modelSource struct {
	path  string
	bytes []byte // used if path is empty
}

func (s modelSource) String() string {
	if s.path == "" {
		return fmt.Sprintf("the model of %d bytes", len(s.bytes))
	}
	return s.path
}

// readModel reads the model's signature and checks that ONNX Runtime can load the model.
func (s modelSource) readModel() (onnx.Model, error) {
	m, err := s.readSignature()
	if err != nil {
		return m, fmt.Errorf("%w: %s: %w", backend.ErrModel, s, err)
	}
	return m, s.checkExternal(m.External)
}

func (s modelSource) readSignature() (onnx.Model, error) {
	if s.path == "" {
		if len(s.bytes) > math.MaxInt32 {
			return onnx.Model{}, errors.New("a model over 2 GB needs a path, and external data")
		}
		return onnx.Read(bytes.NewReader(s.bytes), int64(len(s.bytes)))
	}
	if info, err := os.Stat(s.path); err == nil && info.IsDir() {
		return onnx.Model{}, errors.New("it is a folder, not a file, and ONNX Runtime takes an ONNX file: name that (its " +
			"external data may lie beside it), or choose a backend that takes folders")
	}
	f, err := os.Open(s.path)
	if err != nil {
		var pathErr *fs.PathError
		if errors.As(err, &pathErr) {
			err = pathErr.Err // the message already contains the path
		}
		return onnx.Model{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return onnx.Model{}, err
	}
	if !info.Mode().IsRegular() {
		return onnx.Model{}, errors.New("not a file; want the path of an .onnx file")
	}
	return onnx.Read(f, info.Size())
}

// checkExternal checks that all of the model's external data exists. It rejects names outside of the model's folder,
// even if the library would accept them, because a model must not choose which of the user's files are read. It also
// rejects pipes, because they have no size.
func (s modelSource) checkExternal(files []string) error {
	if len(files) == 0 {
		return nil
	}
	if s.path == "" {
		return fmt.Errorf("%w: %s keeps its weights in %s; give the path of the model instead of its bytes", backend.ErrModel,
			s, shortList(files))
	}
	var missing, foreign []string
	for _, name := range files {
		path := filepath.Join(filepath.Dir(s.path), name)
		info, err := os.Stat(path)
		switch {
		case !filepath.IsLocal(name):
			foreign = append(foreign, fmt.Sprintf("%q", name))
		case err != nil:
			missing = append(missing, path)
		case !info.Mode().IsRegular():
			foreign = append(foreign, fmt.Sprintf("%q (not a file)", name))
		}
	}
	if len(foreign) > 0 {
		return fmt.Errorf("%w: %s: it says that its weights lie in %s; want files in its own folder, or below that",
			backend.ErrModel, s, shortList(foreign))
	}
	if len(missing) > 0 {
		return fmt.Errorf("%w: %s: external data is missing: %s; put it beside the model", backend.ErrModel, s,
			shortList(missing))
	}
	return nil
}

// shortList returns the first few names of a list, whose length the model determines.
func shortList(names []string) string {
	const most, longest = 8, 300
	list := ""
	for i, name := range names[:min(len(names), most)] {
		if i > 0 {
			list += ", "
		}
		if len(name) > longest {
			name = strings.ToValidUTF8(name[:longest], "") + "..."
		}
		list += name
	}
	if more := len(names) - most; more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return list
}

// completeModel asks ONNX Runtime for facts that the file does not contain: the shapes that it infers, and all facts of
// a model in ORT format. It loads the model again, so it is called only if necessary.
func (s modelSource) completeModel(m *onnx.Model, o *onnxruntime.SessionOptions) error {
	if m.Complete() {
		return nil
	}
	var in, out []onnxruntime.InputOutputInfo
	var err error
	if s.path == "" {
		in, out, err = onnxruntime.GetInputOutputInfoWithONNXData(s.bytes)
	} else {
		in, out, err = onnxruntime.GetInputOutputInfoWithOptions(s.path, o)
	}
	if err != nil {
		return fmt.Errorf("%w: %s: %w", backend.ErrModel, s, err)
	}
	m.Inputs, m.Outputs = inferShapes(m.Inputs, in), inferShapes(m.Outputs, out)
	return nil
}

// inferShapes sets the shapes of values for which the file contains none.
func inferShapes(values []onnx.Value, infos []onnxruntime.InputOutputInfo) []onnx.Value {
	all := make([]onnx.Value, len(infos))
	for i, info := range infos {
		all[i] = onnx.Value{Name: info.Name, Elem: int32(info.DataType), Ranked: true}
		for _, d := range info.Dimensions {
			all[i].Dims = append(all[i].Dims, onnx.Dim{Size: d})
		}
		for _, v := range values {
			if v.Name == info.Name && v.Ranked {
				all[i] = v
			}
		}
	}
	return all
}

// boundPort is an input or output of a session.
type boundPort struct {
	backend.TensorInfo
	dims []onnx.Dim
}

// sessionPorts contains a session's inputs and outputs, in the order of Run's arguments.
type sessionPorts struct {
	in, out []boundPort
	// batch is the first dimension of all inputs if it is the same fixed number; otherwise 0.
	batch int64
}

// bindPorts selects the ports that want requires. The error lists every fault of inputs and outputs.
func bindPorts(want backend.Model, m onnx.Model) (sessionPorts, error) {
	have := sessionPorts{in: portsOf(m.Inputs), out: portsOf(m.Outputs)}
	in, errIn := bindTensors("input", want.Inputs, have.in)
	out, errOut := bindTensors("output", want.Outputs, have.out)
	if err := errors.Join(errIn, errOut); err != nil {
		return sessionPorts{}, err
	}
	if len(in) == 0 || len(out) == 0 {
		return sessionPorts{}, fmt.Errorf("%w: it has %d inputs and %d outputs, want at least one of each",
			backend.ErrTensors, len(in), len(out))
	}
	return sessionPorts{in: in, out: out, batch: fixedBatch(in)}, checkAllBound(in, have.in)
}

func fixedBatch(in []boundPort) int64 {
	batch := int64(0)
	for i, p := range in {
		if len(p.Shape) == 0 || p.Shape[0] <= 0 || i > 0 && p.Shape[0] != batch {
			return 0
		}
		batch = p.Shape[0]
	}
	return batch
}

func portsOf(values []onnx.Value) []boundPort {
	all := make([]boundPort, len(values))
	for i, v := range values {
		shape := make([]int64, len(v.Dims))
		for i, d := range v.Dims {
			shape[i] = d.Size
		}
		all[i] = boundPort{backend.TensorInfo{Name: v.Name, DType: dtypeOf(v.Elem), Shape: shape}, v.Dims}
	}
	return all
}

func bindTensors(kind string, want []backend.TensorInfo, have []boundPort) ([]boundPort, error) {
	index, err := backend.Bind(kind, want, tensorInfos(have))
	if err != nil {
		return nil, err
	}
	var faults []error
	bound := make([]boundPort, len(index))
	for i, j := range index {
		bound[i] = have[j]
		if have[j].DType == backend.InvalidDType {
			faults = append(faults, fmt.Errorf("%w: %s %q is no tensor of numbers", backend.ErrTensors, kind, have[j].Name))
		}
	}
	return bound, errors.Join(faults...)
}

// checkAllBound checks that every input of the model is bound, because a run without one of them fails.
func checkAllBound(bound, have []boundPort) error {
	fed := map[string]bool{}
	for _, p := range bound {
		fed[p.Name] = true
	}
	var unfed []string
	for _, p := range have {
		if !fed[p.Name] {
			unfed = append(unfed, p.String())
		}
	}
	if len(unfed) == 0 {
		return nil
	}
	return fmt.Errorf("%w: the model also has inputs that the benchmark does not fill: %s", backend.ErrTensors,
		strings.Join(unfed, ", "))
}

func tensorInfos(ports []boundPort) []backend.TensorInfo {
	infos := make([]backend.TensorInfo, len(ports))
	for i, p := range ports {
		infos[i] = p.TensorInfo
	}
	return infos
}

func portNames(ports []boundPort) []string {
	names := make([]string, len(ports))
	for i, p := range ports {
		names[i] = p.Name
	}
	return names
}
