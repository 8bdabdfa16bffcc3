package kits19

// CaseNames returns the names of the benchmark's 43 cases, in order. The last one is a copy of case_00185, which the
// reference makes when it downloads the data set. If the copy is missing, Open reads case_00185 instead.
func CaseNames() []string {
	return []string{
		"case_00000", "case_00003", "case_00005", "case_00006", "case_00012", "case_00024", "case_00034", "case_00041",
		"case_00044", "case_00049", "case_00052", "case_00056", "case_00061", "case_00065", "case_00066", "case_00070",
		"case_00076", "case_00078", "case_00080", "case_00084", "case_00086", "case_00087", "case_00092", "case_00111",
		"case_00112", "case_00125", "case_00128", "case_00138", "case_00157", "case_00160", "case_00161", "case_00162",
		"case_00169", "case_00171", "case_00176", "case_00185", "case_00187", "case_00189", "case_00198", "case_00203",
		"case_00206", "case_00207", duplicate,
	}
}

const (
	duplicate = "case_00400"
	original  = "case_00185"
)
