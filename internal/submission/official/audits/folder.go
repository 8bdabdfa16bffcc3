package audits

import (
	"fmt"
	"os"
	"strings"
)

// missingFolderText returns the output of TEST07 and TEST09 if the folder with the accuracy log is missing.
func missingFolderText(r Request) string {
	folder := strings.TrimSuffix(r.Run.Accuracy, "mlperf_log_accuracy.json")
	if folder != "/" {
		folder = strings.TrimSuffix(folder, string(os.PathSeparator))
	}
	if info, err := os.Stat(folder); folder != "" && (err != nil || !info.IsDir()) {
		return fmt.Sprintf("Error: Compliance directory does not exist: %s\n", folder)
	}
	if info, err := os.Stat(r.Run.Accuracy); err != nil || !info.Mode().IsRegular() {
		return fmt.Sprintf("Error: Accuracy log not found: %s\n", r.Run.Accuracy)
	}
	return ""
}
