// Package fetch keeps a folder of downloaded models and data sets.
//
// A [File] says what is wanted: its name in the folder, its address, its sha256. [Cache.Locate] finds it there,
// [Cache.Get] downloads it first where it is missing: resumed after a cut, checked, unpacked, and only then moved into
// place, so that a name in the folder is always a whole file. Several processes may share the folder.
//
// In: HTTP and HTTPS, sha256, tar, tar.gz and zip.
// Out: which files a model needs (the plugins' manifests), the environment (proxies and the folder are the caller's to
// choose), printing.
package fetch
