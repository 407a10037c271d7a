package zz
import "testing"
func BenchmarkCompile(b *testing.B){ for b.Loop(){ for _,n:=range names{ load("../rulebooks/books/"+n)} } }
