package brats

import (
	"bufio"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/bounded"
)

// CaseNames returns the names of the benchmark's 67 cases, the first validation fold, in order.
func CaseNames() []string {
	var names []string
	for _, group := range []struct{ prefix, ids string }{
		{"HGG__BraTS19_2013_", "13 19 27"},
		{"HGG__BraTS19_CBICA_", "AAG ALN ANV AOH APK APR AQG AQP ARZ ASF ASG ATP ATX AUA AVJ AVV AWG AXL AXQ BAN BBG " +
			"BGE BHQ BIC BNR"},
		{"HGG__BraTS19_TCIA", "01_131 01_147 01_180 01_190 01_221 01_335 01_411 02_151 02_321 02_331 02_368 02_471 " +
			"03_257 03_474 04_111 04_328 04_343 05_277 05_478 06_165 08_105 08_280"},
		{"HGG__BraTS19_TMC_", "15477 21360 30014"},
		{"LGG__BraTS19_TCIA", "09_428 10_175 10_276 10_393 10_408 10_410 10_449 10_490 10_625 10_637 12_249 12_466 " +
			"13_615 13_630"},
	} {
		for _, id := range strings.Fields(group.ids) {
			names = append(names, group.prefix+id+"_1")
		}
	}
	return names
}

// FoldFile is the name of an optional file in the folder. Open uses the cases that it lists instead of the benchmark's.
const FoldFile = "fold1_validation.txt"

// maxFoldBytes limits the size of a list of names; the benchmark's list has 2 kB.
const maxFoldBytes = 1 << 20

// readFold reads a list of names, one per line.
func readFold(path string) (names []string, err error) {
	data, err := bounded.ReadFile(path, maxFoldBytes)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	lines := bufio.NewScanner(strings.NewReader(string(data)))
	for n := 1; lines.Scan(); n++ {
		name := strings.TrimSpace(lines.Text())
		switch {
		case name == "":
			continue
		case !isCaseName(name):
			return nil, fmt.Errorf("%s: line %d: %.60q, want HGG__CASE or LGG__CASE", path, n, name)
		case seen[name]:
			return nil, fmt.Errorf("%s: line %d: %s is there twice", path, n, name)
		}
		seen[name] = true
		names = append(names, name)
	}
	if len(names) == 0 && lines.Err() == nil {
		return nil, fmt.Errorf("%s: it names no case, want HGG__CASE or LGG__CASE in each line", path)
	}
	return names, lines.Err()
}

// isCaseName reports whether name is safe as a case's name and as part of file names.
func isCaseName(name string) bool {
	grade, id, ok := strings.Cut(name, "__")
	return ok && (grade == "HGG" || grade == "LGG") && id != "" && filepath.IsLocal(name) &&
		!strings.ContainsAny(name, `/\`)
}
