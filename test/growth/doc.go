// Package growth ensures that the work on an input grows with its size and no faster, by counting the statements that run; its
// tests have the build tag growth.
package growth
