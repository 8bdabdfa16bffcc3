package main

import (
	"debug/buildinfo"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/tools/internal/modfiles"
)

// module is a third-party Go module that is part of a binary.
type module struct {
	Path, Version, Sum string
	Licence            string   // SPDX identifier, or NOASSERTION
	files              []string // licence files
}

// modulesOf returns the modules of which the binaries in dir are made.
func modulesOf(dir string) ([]module, error) {
	binaries, err := filepath.Glob(filepath.Join(dir, pluginsDir, pluginPrefix+"*"))
	if err != nil {
		return nil, err
	}
	all := map[string]module{}
	for _, path := range append(binaries, filepath.Join(dir, binDir, "harness")) {
		info, err := buildinfo.ReadFile(path)
		if err != nil {
			return nil, err
		}
		for _, m := range info.Deps {
			if !modfiles.IsOurs(m.Path) {
				all[m.Path] = module{Path: m.Path, Version: m.Version, Sum: m.Sum}
			}
		}
	}
	sorted := slices.SortedFunc(maps.Values(all), func(a, b module) int { return strings.Compare(a.Path, b.Path) })
	return sorted, findLicences(sorted)
}

// findLicences finds the licences in the modules' folders.
func findLicences(modules []module) error {
	paths := make([]string, len(modules))
	for i, m := range modules {
		paths[i] = m.Path
	}
	dirs, err := modfiles.Dirs(paths...)
	if err != nil {
		return err
	}
	var faults []error
	for i := range modules {
		faults = append(faults, modules[i].findLicence(dirs[modules[i].Path]))
	}
	return errors.Join(faults...)
}

func (m *module) findLicence(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("%s: %w", m.Path, err)
	}
	m.Licence = noAssertion
	for _, e := range entries {
		name := strings.ToUpper(e.Name())
		if e.IsDir() || !slices.ContainsFunc([]string{"LICENSE", "LICENCE", "COPYING", "NOTICE", "UNLICENSE"},
			func(p string) bool { return strings.HasPrefix(name, p) }) {
			continue
		}
		path := filepath.Join(dir, e.Name())
		m.files = append(m.files, path)
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if found := licenceOf(string(text)); m.Licence == noAssertion {
			m.Licence = found
		}
	}
	if len(m.files) == 0 {
		return fmt.Errorf("%s %s has no licence file: it may not be handed on", m.Path, m.Version)
	}
	return nil
}

const noAssertion = "NOASSERTION"

// licenceOf identifies common licences by a characteristic phrase.
func licenceOf(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	has := func(phrases ...string) bool {
		return !slices.ContainsFunc(phrases, func(p string) bool { return !strings.Contains(text, p) })
	}
	switch {
	case has("Apache License", "Version 2.0"):
		return "Apache-2.0"
	case has("Mozilla Public License", "2.0"):
		return "MPL-2.0"
	case has("Permission is hereby granted, free of charge"):
		return "MIT"
	case has("Redistribution and use in source and binary forms", "Neither the name"):
		return "BSD-3-Clause"
	case has("Redistribution and use in source and binary forms"):
		return "BSD-2-Clause"
	case has("Permission to use, copy, modify, and/or distribute"), has("Permission to use, copy, modify, and distribute"):
		return "ISC"
	case has("This is free and unencumbered software released into the public domain"):
		return "Unlicense"
	}
	return noAssertion
}

// writeLicences copies the licences of all modules, of Go, of ONNX Runtime and of CLIP's list of tokens.
func writeLicences(dir string, modules []module) error {
	root, err := commandOutput("go", "env", "GOROOT")
	if err != nil {
		return err
	}
	all := append([]module{
		{Path: "go", files: []string{filepath.Join(strings.TrimSpace(root), "LICENSE")}},
		{Path: "onnxruntime", files: []string{filepath.Join("tools", "dist", "onnxruntime-LICENSE.txt")}},
		{Path: "clip", files: []string{filepath.Join("plugins", "sdxl", "model", "clip-LICENSE.txt")}},
	}, modules...)
	for _, m := range all {
		to := filepath.Join(dir, "licences", filepath.FromSlash(m.Path))
		if err := os.MkdirAll(to, 0o755); err != nil {
			return err
		}
		for _, file := range m.files {
			text, err := os.ReadFile(file)
			if err == nil {
				err = os.WriteFile(filepath.Join(to, filepath.Base(file)), text, 0o644)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}
