// Package fetch keeps a folder of downloaded models and data sets.
//
// A [File] describes a file by its name in the folder, its address and its sha256. [Cache.Locate] finds it in the
// folder; [Cache.Get] downloads it first if it is missing. A download resumes after an interruption. It is checked,
// unpacked and then moved into place, so the folder contains only complete files. Several processes may share the
// folder.
//
// In scope: HTTP and HTTPS, sha256, tar, tar.gz and zip. Out of scope: the files that a model needs (the plugins'
// manifests), the environment (the caller chooses proxies and the folder), printing.
package fetch
