//go:build genproto

// This file is never built. Its import makes the module require a genproto version without googleapis/rpc, which is now
// a separate module. Otherwise Arrow's old grpc, which is not built either, would require a version that contains it.

package sdxl

import _ "google.golang.org/genproto/googleapis/type/date"
