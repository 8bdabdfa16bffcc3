package main

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// pythonPackage is the module in the first wheel. The distribution's name is the same with a hyphen.
const pythonPackage = "plumbline_inference"

// inFirst returns the plugins of the first wheel. A single wheel with all plugins would exceed the maximum size.
func inFirst() []string { return []string{"null", "resnet50", "retinanet", "yolo", "unet3d"} }

// maxWheel is the default maximum size of a file in Python's index, in bytes.
const maxWheel = 100 << 20

// wheels writes Python wheels of the archive's folder and returns their paths. The first one contains the package of
// python/, the harness, ONNX Runtime, some plugins and the documents, relative to the prefix of the environment. The
// second contains the other plugins.
func (d *dist) wheels(p platform, dir string) ([]string, error) {
	first, second, err := d.newWheels(p, dir)
	if err != nil {
		return nil, err
	}
	all, err := prefixed(dir)
	if err != nil {
		return nil, err
	}
	for _, f := range all {
		plugin, found := strings.CutPrefix(path.Base(f.to), pluginPrefix)
		if found && !slices.Contains(inFirst(), plugin) {
			second.place(f)
			continue
		}
		first.place(f)
		if licence, found := strings.CutPrefix(f.to, "share/plumbline/licences/"); found { // licences of files in both wheels
			second.files = append(second.files, wheelFile{name: second.info() + "licenses/" + licence, from: f.from})
		}
	}
	var made []string
	for _, w := range []*wheel{first, second} {
		made = append(made, filepath.Join(d.out, w.file()))
		if err := w.write(made[len(made)-1], d.date); err != nil {
			return nil, err
		}
	}
	return made, nil
}

// newWheels returns both wheels with the files that are not from the archive.
func (d *dist) newWheels(p platform, dir string) (first, second *wheel, err error) {
	version, err := pythonVersion(d.version)
	if err != nil {
		return nil, nil, err
	}
	n, err := needsOf(dir)
	if err != nil {
		return nil, nil, err
	}
	platformTag, err := n.manylinux(p.arch)
	if err != nil {
		return nil, nil, err
	}
	modules, err := modulesOf(dir)
	if err != nil {
		return nil, nil, err
	}
	first = &wheel{
		name: pythonPackage, version: version, tag: "py3-none-" + platformTag, licence: expression(modules),
		summary:  "Machine-learning inference benchmarks: a harness, image benchmarks, results as dataclasses",
		requires: []string{"Provides-Extra: pandas", `Requires-Dist: pandas; extra == "pandas"`},
	}
	second = &wheel{
		name: pythonPackage + "_plugins", version: version, tag: first.tag, licence: first.licence,
		summary:  "Benchmarks of language, speech, graphs and recommendation for plumbline-inference",
		requires: []string{"Requires-Dist: plumbline-inference == " + version},
	}
	return first, second, errors.Join(first.addPackage(filepath.Join("python", pythonPackage)), first.addInfo(),
		second.addInfo())
}

// pythonVersion returns a version in Python's form: 1.2.3, 1.2.3rc1, or 0.dev0+abc for a development build.
func pythonVersion(version string) (string, error) {
	if commit, devel := strings.CutPrefix(version, "devel-"); devel {
		return "0.dev0+" + commit, nil
	}
	m := regexp.MustCompile(`^v(\d+\.\d+\.\d+)(?:-(alpha|beta|rc)\.?(\d*))?$`).FindStringSubmatch(version)
	if m == nil {
		return "", fmt.Errorf("version %s: a wheel wants one such as v1.2.3 or v1.2.3-rc.1", version)
	}
	if m[2] == "" {
		return m[1], nil
	}
	if m[3] == "" {
		m[3] = "0"
	}
	return m[1] + map[string]string{"alpha": "a", "beta": "b", "rc": "rc"}[m[2]] + m[3], nil
}

// manylinux returns the tag of the oldest glibc that meets the requirements. Libraries that some Linux systems lack,
// and a libstdc++ that is newer than that glibc's, are errors.
func (n systemNeeds) manylinux(arch string) (string, error) {
	machine := map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[arch]
	everywhere := regexp.MustCompile(
		`^(ld-linux[\w-]*|libc|libdl|libm|libpthread|librt|libstdc\+\+|libgcc_s)\.so\.\d+$`)
	for _, library := range n.libraries {
		if !everywhere.MatchString(library) {
			return "", fmt.Errorf("%s is needed, which not every Linux has: no wheel can be made", library)
		}
	}
	glibc := n.versions["GLIBC"]
	if len(glibc) < 2 || machine == "" {
		return "", fmt.Errorf("glibc %v on %s: want binaries for amd64 or arm64 that need glibc", glibc, arch)
	}
	with, err := glibcWith(n.versions["GLIBCXX"])
	const oldest = 17 // the oldest version in this form of tag
	return fmt.Sprintf("manylinux_2_%d_%s", max(glibc[1], with, oldest), machine), err
}

// glibcWith returns the minor version of the oldest glibc whose tag guarantees a version of libstdc++'s symbols, such
// as GLIBCXX_3.4.29, according to the policies of tools for PEP 600's tags. 0: no such symbols are needed.
func glibcWith(glibcxx []int) (int, error) {
	if len(glibcxx) < 3 {
		return 0, nil
	}
	policies := []struct{ n, glibc int }{{19, 17}, {22, 24}, {24, 27}, {28, 31}, {29, 34}, {30, 35}, {33, 39}}
	for _, p := range policies {
		if glibcxx[2] <= p.n {
			return p.glibc, nil
		}
	}
	return 0, fmt.Errorf("GLIBCXX_3.4.%d is needed, which is newer than any tag promises: build with an older g++",
		glibcxx[2])
}

// wheel is a wheel that is being made.
type wheel struct {
	name         string // as in file names: plumbline_inference
	version, tag string
	summary      string
	licence      string   // an SPDX expression
	requires     []string // additional lines of METADATA
	files        []wheelFile
}

// wheelFile is a file of a wheel: its text, or the path of its content.
type wheelFile struct {
	name       string
	text       []byte
	from       string
	executable bool
}

// base returns NAME-VERSION, which the names of the wheel and its folders contain.
func (w *wheel) base() string { return w.name + "-" + w.version }

func (w *wheel) file() string { return w.base() + "-" + w.tag + ".whl" }

// info returns the folder that installers read.
func (w *wheel) info() string { return w.base() + ".dist-info/" }

// addPackage adds the modules of a package.
func (w *wheel) addPackage(dir string) error {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if e.Type().IsRegular() && (filepath.Ext(e.Name()) == ".py" || e.Name() == "py.typed") {
			w.files = append(w.files, wheelFile{name: pythonPackage + "/" + e.Name(), from: filepath.Join(dir, e.Name())})
		}
	}
	return err
}

// place adds a file of the archive. Programs go to the environment's folder for scripts, other files below its prefix.
func (w *wheel) place(f packedFile) {
	name := w.base() + ".data/data/" + f.to
	if program, found := strings.CutPrefix(f.to, binDir+"/"); found {
		name = w.base() + ".data/scripts/" + program
	}
	w.files = append(w.files, wheelFile{name: name, from: f.from, executable: f.executable})
}

// addInfo adds the files that installers read.
func (w *wheel) addInfo() error {
	readme, err := os.ReadFile(filepath.Join("python", "README.md"))
	lines := []string{
		"Metadata-Version: 2.4", "Name: " + strings.ReplaceAll(w.name, "_", "-"), "Version: " + w.version,
		"Summary: " + w.summary, "License-Expression: " + w.licence, "License-File: LICENSE",
		"Classifier: Operating System :: POSIX :: Linux", "Requires-Python: >=3.10",
		"Description-Content-Type: text/markdown",
	}
	metadata := strings.Join(append(append(lines, w.requires...), "", string(readme)), "\n")
	w.files = append(w.files,
		wheelFile{name: w.info() + "METADATA", text: []byte(metadata)},
		wheelFile{name: w.info() + "WHEEL", text: []byte("Wheel-Version: 1.0\nGenerator: plumbline dist\n" +
			"Root-Is-Purelib: false\nTag: " + w.tag + "\n")},
		wheelFile{name: w.info() + "licenses/LICENSE", from: "LICENSE"},
	)
	return err
}

// expression returns the licences of the wheel's content as an SPDX expression.
func expression(modules []module) string {
	ids := []string{"Apache-2.0", "MIT"} // the project's own, and ONNX Runtime's
	for _, m := range modules {
		if m.Licence != noAssertion {
			ids = append(ids, m.Licence)
		}
	}
	slices.Sort(ids)
	return strings.Join(slices.Compact(ids), " AND ")
}

// write writes the zip file: files sorted by name, with the given date and without owners, and RECORD last.
func (w *wheel) write(to string, date time.Time) (err error) {
	slices.SortFunc(w.files, func(a, b wheelFile) int { return strings.Compare(a.name, b.name) })
	f, err := os.Create(to)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	z := zip.NewWriter(f)
	z.RegisterCompressor(zip.Deflate, func(out io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(out, flate.BestCompression)
	})
	var record strings.Builder
	for _, file := range w.files {
		line, err := file.write(z, date)
		if err != nil {
			return fmt.Errorf("%s: %w", file.name, err)
		}
		record.WriteString(line)
	}
	name := w.info() + "RECORD"
	last := wheelFile{name: name, text: []byte(record.String() + name + ",,\n")}
	_, err = last.write(z, date)
	if err := errors.Join(err, z.Close()); err != nil {
		return err
	}
	info, err := f.Stat()
	if err == nil && info.Size() > maxWheel {
		err = fmt.Errorf("%s has %d bytes, want at most %d: Python's index takes no more; place plugins otherwise", to,
			info.Size(), maxWheel)
	}
	return err
}

// write writes a file and returns its line of RECORD.
func (f wheelFile) write(z *zip.Writer, date time.Time) (record string, err error) {
	if strings.ContainsAny(f.name, ",\"\n") {
		return "", errors.New("a name with a comma, a quote or a new line")
	}
	h := &zip.FileHeader{Name: path.Clean(f.name), Method: zip.Deflate, Modified: date.UTC()}
	h.SetMode(0o644)
	if f.executable {
		h.SetMode(0o755)
	}
	to, err := z.CreateHeader(h)
	if err != nil {
		return "", err
	}
	from := io.NopCloser(io.Reader(bytes.NewReader(f.text)))
	if f.from != "" {
		if from, err = os.Open(f.from); err != nil {
			return "", err
		}
	}
	defer from.Close()
	sum := sha256.New()
	size, err := io.Copy(io.MultiWriter(to, sum), from)
	digest := base64.RawURLEncoding.EncodeToString(sum.Sum(nil))
	return fmt.Sprintf("%s,sha256=%s,%d\n", h.Name, digest, size), err
}
