package serve

import (
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/internal/pluginpb"
)

// For tests outside of the package, which compare with the harness's half.
var (
	ProtoDescription = protoDescription
	ProtoInfo        = protoInfo
	ProtoScore       = protoScore
	ProtoShares      = func(s []backend.Share) []*pluginpb.Share { return each(s, protoShare) }
	ProtoBackends    = func(b []sdk.BackendInfo) []*pluginpb.BackendInfo { return each(b, protoBackend) }
	OptionsFrom      = optionsFrom
	ScoreOptionsFrom = scoreOptionsFrom
	EntryFrom        = entryFrom
)

// NewBatchFor is newBatchFor.
var NewBatchFor = newBatchFor
