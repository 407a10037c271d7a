package zz
import ("testing";"os";"syscall";"time";"fmt";"strings";"einvoiced/core/schematron";"einvoiced/core/xmltree")
func cpu() time.Duration { var r syscall.Rusage; syscall.Getrusage(syscall.RUSAGE_SELF,&r); return time.Duration(r.Utime.Nano()+r.Stime.Nano()) }
func TestCPU(t *testing.T){
	for _,f:=range []string{"ours","off"} { best:=time.Hour
		for i:=0;i<3;i++ { c:=cpu(); for _,n:=range names{ if f=="ours"{load("../rulebooks/books/"+n)} else {load(off(n))} }; if e:=cpu()-c;e<best{best=e} }
		fmt.Println("compile cpu",f,best) }
	for _,l:=range strings.Split(os.Getenv("LINES"),","){
	data,_:=os.ReadFile("/tmp/facturx/l"+l+".xml")
	doc,_:=xmltree.Parse(data,xmltree.Options{})
	for _,n:=range strings.Fields(os.Getenv("SETS")){
		for _,d:=range []string{"../rulebooks/books/"+n,off(n)}{
			p,_,_:=load(d); best:=time.Hour
			for i:=0;i<4;i++ { c:=cpu(); p.Evaluate(t.Context(),doc,schematron.EvaluateOptions{}); if e:=cpu()-c;e<best{best=e} }
			fmt.Println("eval cpu",l,d[len(d)-26:],best)
		}
	}}
}
