package docs

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/plumbline-ml/plumbline/e2e/internal/built"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
)

// ciScripts lists the commands of the examples for continuous integration, and the environment that each service sets.
func ciScripts(t *testing.T) map[string][2]string {
	t.Helper()
	read := func(name string) string { return testfile.Read(t, filepath.Join("..", "..", "examples", "ci", name)) }
	var action struct {
		Runs struct {
			Steps []struct {
				Run string
			}
		}
	}
	var gitlab struct {
		Plumbline struct{ Script []string }
	}
	var step []struct {
		With struct{ Arguments string }
	}
	if err := yaml.Unmarshal([]byte(read("action.yml")), &action); err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal([]byte(read("gitlab-ci.yml")), &gitlab); err != nil {
		t.Fatal(err)
	}
	usage := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindStringSubmatch(read("README.md"))
	jenkins := regexp.MustCompile(`(?s)sh '''(.*?)'''`).FindStringSubmatch(read("Jenkinsfile"))
	if usage == nil || jenkins == nil {
		t.Fatal("the README has no step, or the Jenkinsfile no script")
	}
	if err := yaml.Unmarshal([]byte(usage[1]), &step); err != nil {
		t.Fatal(err)
	}
	return map[string][2]string{
		"GitHub":  {action.Runs.Steps[0].Run, "ARGUMENTS=" + step[0].With.Arguments},
		"GitLab":  {strings.Join(gitlab.Plumbline.Script, "\n"), ""},
		"Jenkins": {jenkins[1], ""},
	}
}

// TestCIExamples runs the commands of each service's example as its runner does, and reads the files they write.
func TestCIExamples(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash, in which the services run scripts, is not installed")
	}
	for service, script := range ciScripts(t) {
		t.Run(service, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			summary := filepath.Join(dir, "summary.md")
			cmd := exec.CommandContext(t.Context(), bash, "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", script[0])
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "HARNESS="+built.Harness(), "FOLDER=plumbline", "GITHUB_STEP_SUMMARY="+summary,
				script[1])
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			cases := testfile.Read(t, filepath.Join(dir, "plumbline", "junit.xml"))
			for _, want := range []string{
				`<testsuite name="run" tests="2" failures="0"`, `<testsuite name="fail-if" tests="1"`,
			} {
				if !strings.Contains(cases, want) {
					t.Errorf("no %s in:\n%s", want, cases)
				}
			}
			if text := testfile.Read(t, summary); !strings.Contains(text, "resnet50 Offline accuracy") {
				t.Errorf("the summary of the step:\n%s", text)
			}
		})
	}
}
