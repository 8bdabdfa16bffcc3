package host

import (
	"slices"
	"strings"
)

// inheritedNames lists the variables that a plugin always inherits: those that programs need to run, to find libraries
// and devices, and to be configured. A name that ends in * represents all names with this beginning. Other variables of
// the harness are not passed on, in particular passwords and tokens for other programs.
var inheritedNames = [...]string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "TMPDIR", "TMP", "TEMP", "TZ", "LANG", "LC_*", "TERM", "XDG_*",
	"SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "USERPROFILE", "LOCALAPPDATA", "APPDATA", "PATHEXT", "COMSPEC",
	"PLUMBLINE_*",
	"LD_LIBRARY_PATH", "LD_PRELOAD", "DYLD_*", "MALLOC_*", "GLIBC_TUNABLES", "ASAN_OPTIONS", "TSAN_OPTIONS",
	"GODEBUG", "GOGC", "GOMAXPROCS", "GOMEMLIMIT", "GOTRACEBACK", "GORACE", "GOCOVERDIR",
	"PYTHON*", "VIRTUAL_ENV", "CONDA_PREFIX",
	"OMP_*", "GOMP_*", "KMP_*", "MKL_*", "OPENBLAS_*", "ORT_*", "ONNXRUNTIME_*", "OPENVINO_*", "TBB_*",
	"CUDA_*", "NVIDIA_*", "NCCL_*", "CUBLAS_*", "CUDNN_*", "TRT_*", "TF32_*", "HIP_*", "ROCR_*", "HSA_*", "ZE_*",
	"ONEAPI_*", "SYCL_*",
	"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy", "SSL_CERT_FILE", "SSL_CERT_DIR",
	"OPENAI_API_KEY", // of the backend openai, unless its option names another variable
}

// inheritedEnv returns the variables of environ, as NAME=VALUE, that are in known or in more.
func inheritedEnv(environ, more []string) []string {
	var kept []string
	for _, variable := range environ {
		name, _, _ := strings.Cut(variable, "=")
		if matchesAny(inheritedNames[:], name) || matchesAny(more, name) {
			kept = append(kept, variable)
		}
	}
	return kept
}

// withoutVars returns the variables except those with these names.
func withoutVars(environ, names []string) []string {
	return slices.DeleteFunc(environ, func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return slices.Contains(names, name)
	})
}

func matchesAny(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		start, all := strings.CutSuffix(p, "*")
		return p == name || all && strings.HasPrefix(name, start)
	})
}
