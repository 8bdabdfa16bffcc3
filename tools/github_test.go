package tools

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// readHostFile reads a file of .github.
func readHostFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root(t), ".github", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestWorkflowsRunTargets checks that make targets in workflows exist and accept the given names.
func TestWorkflowsRunTargets(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(root(t), ".github", "workflows", "*.yml"))
	if err != nil || len(files) < 5 {
		t.Fatalf("%d workflows (%v)", len(files), err)
	}
	run := regexp.MustCompile(`(?m)^ +- run: (?:.* && )?make ([^\n]+)$`)
	count := 0
	for _, file := range files {
		name := filepath.Base(file)
		for _, m := range run.FindAllStringSubmatch(readHostFile(t, "workflows/"+name), -1) {
			count++
			if said, err := makeOutput(t, append([]string{"-n"}, strings.Fields(m[1])...)...); err != nil {
				t.Errorf("%s: make %s: %v\n%s", name, m[1], err, said)
			}
		}
	}
	if count < 8 {
		t.Errorf("%d calls of make in the workflows, want all of them found", count)
	}
}

// TestEveryFolderHasOwners checks that CODEOWNERS contains exactly one row for each top folder and names only teams.
func TestEveryFolderHasOwners(t *testing.T) {
	var owned []string
	for line := range strings.Lines(readHostFile(t, "CODEOWNERS")) {
		fields := strings.Fields(line)
		if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		for _, owner := range fields[1:] {
			if !regexp.MustCompile(`^@[a-z-]+/[a-z-]+$`).MatchString(owner) {
				t.Errorf("%s belongs to %s, which is not a team", fields[0], owner)
			}
		}
		if len(fields) < 2 {
			t.Errorf("%s belongs to no team", fields[0])
		}
		if fields[0] != "*" {
			owned = append(owned, strings.Trim(fields[0], "/"))
		}
	}
	list := exec.Command("git", "ls-files", "--cached", "--others", "--exclude-standard")
	list.Dir = root(t)
	files, err := list.Output()
	if err != nil {
		t.Skipf("the files of the checkout are not known: %v", err)
	}
	var folders []string
	for file := range strings.Lines(string(files)) {
		if folder, _, nested := strings.Cut(file, "/"); nested && !slices.Contains(folders, folder) {
			folders = append(folders, folder)
		}
	}
	slices.Sort(owned)
	slices.Sort(folders)
	if !slices.Equal(owned, folders) {
		t.Errorf("CODEOWNERS has %q, the checkout %q", owned, folders)
	}
}

// TestUpdatesOfEveryModule checks that the dependencies of each module of the workspace are updated automatically.
func TestUpdatesOfEveryModule(t *testing.T) {
	text := readHostFile(t, "dependabot.yml")
	for _, module := range modules() {
		if folder := `"/` + strings.TrimPrefix(module, ".") + `"`; !strings.Contains(text, folder) {
			t.Errorf("dependabot.yml leaves out %s", folder)
		}
	}
}
