package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/checksum"
)

// billOfMaterials is a bill of materials in CycloneDX 1.6.
type billOfMaterials struct {
	Format     string      `json:"bomFormat"`
	Spec       string      `json:"specVersion"`
	Version    int         `json:"version"`
	Metadata   metadata    `json:"metadata"`
	Components []component `json:"components"`
}

type metadata struct {
	Timestamp string    `json:"timestamp"`
	Component component `json:"component"`
}

type component struct {
	Type     string    `json:"type"`
	Name     string    `json:"name"`
	Version  string    `json:"version,omitempty"`
	Purl     string    `json:"purl,omitempty"`
	Licences []licence `json:"licenses,omitempty"`
	Hashes   []hash    `json:"hashes,omitempty"`
}

type licence struct {
	Licence struct {
		ID string `json:"id"`
	} `json:"license"`
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

// writeBill lists the contents of an archive: modules with their licences, and binaries and libraries with their
// checksums.
func (d *dist) writeBill(dir, name string, modules []module) error {
	b := billOfMaterials{Format: "CycloneDX", Spec: "1.6", Version: 1, Metadata: metadata{
		Timestamp: d.date.Format("2006-01-02T15:04:05Z"),
		Component: component{Type: "application", Name: name, Version: d.version, Licences: licenceList("Apache-2.0")},
	}}
	for _, m := range modules {
		b.Components = append(b.Components, component{
			Type: "library", Name: m.Path, Version: m.Version, Purl: "pkg:golang/" + m.Path + "@" + m.Version,
			Licences: licenceList(m.Licence),
		})
	}
	files, err := filepath.Glob(filepath.Join(dir, pluginsDir, "*"))
	if err != nil {
		return err
	}
	for _, file := range append([]string{filepath.Join(dir, binDir, "harness")}, files...) {
		sum, _, err := checksum.File(file)
		if err != nil {
			return err
		}
		c := component{Type: "file", Name: strings.TrimPrefix(file, dir+"/"), Hashes: []hash{{"SHA-256", sum}}}
		if strings.HasPrefix(filepath.Base(file), "libonnxruntime") {
			c.Licences = licenceList("MIT")
		}
		b.Components = append(b.Components, c)
	}
	text, err := json.MarshalIndent(b, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "sbom.cdx.json"), append(text, '\n'), 0o644)
}

// licenceList returns a list with one licence; empty if it is unknown.
func licenceList(id string) []licence {
	if id == noAssertion || id == "" {
		return nil
	}
	l := make([]licence, 1)
	l[0].Licence.ID = id
	return l
}
