// Package clients looks at the service as those do who use it: at the pages in a browser, at the description of the interface with a
// linter, and through clients in five languages that are generated from it. It needs a JDK, Maven, Node.js, Python, PHP with Guzzle, curl and
// Chromium, and is built with the tag oracles. Generators and libraries are those of testdata, downloaded once.
package clients
