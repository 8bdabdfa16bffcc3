package host

import (
	"slices"
	"testing"
)

func TestPluginsInheritWhatIsListed(t *testing.T) {
	environ := []string{
		"PATH=/bin", "LC_ALL=C", "PLUMBLINE_ORT_LIB=x=y", "CUDA_VISIBLE_DEVICES=0", "EMPTY=", "AWS_SECRET_ACCESS_KEY=s",
		"PATHS=p",
		"MY_TOKEN=t", "MY_OTHER=o", "GITHUB_TOKEN=g",
	}
	want := []string{"PATH=/bin", "LC_ALL=C", "PLUMBLINE_ORT_LIB=x=y", "CUDA_VISIBLE_DEVICES=0"}
	if got := inheritedEnv(environ, nil); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := inheritedEnv(environ, []string{"MY_*"}); !slices.Equal(got, append(want, "MY_TOKEN=t", "MY_OTHER=o")) {
		t.Errorf("with more: %v", got)
	}
	if got := inheritedEnv(environ, []string{"*"}); !slices.Equal(got, environ) {
		t.Errorf("all: %v", got)
	}
	environ = []string{"PATH=/bin", "LD_PRELOAD=x.so", "LD_LIBRARY_PATH=/lib", "LD_PRELOADED=y"}
	if got := withoutVars(slices.Clone(environ), []string{"LD_PRELOAD"}); !slices.Equal(got,
		[]string{"PATH=/bin", "LD_LIBRARY_PATH=/lib", "LD_PRELOADED=y"}) {
		t.Errorf("withheld: %v", got)
	}
}
