package sdk_test

import (
	"errors"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk"
)

func TestClassesOfErrors(t *testing.T) {
	if err := errors.Join(sdk.Usage(nil), sdk.Data(nil)); err != nil {
		t.Errorf("no error became %v", err)
	}
	cause := errors.New("cause")
	for class, err := range map[error]error{sdk.ErrUsage: sdk.Usage(cause), sdk.ErrData: sdk.Data(cause)} {
		if !errors.Is(err, class) || !errors.Is(err, cause) || err.Error() != "cause" {
			t.Errorf("%v: got %v", class, err)
		}
	}
}
