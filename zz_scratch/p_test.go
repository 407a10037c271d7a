package zz
import ("testing";"os";"fmt";"time";"sort";"path/filepath";"einvoiced/core/schematron";"einvoiced/core/xmltree")
func TestPatterns(t *testing.T){
	data,_:=os.ReadFile("/tmp/facturx/l5000.xml")
	doc,_:=xmltree.Parse(data,xmltree.Options{})
	n:=os.Getenv("SET")
	for _,dir:=range []string{"../rulebooks/books/"+n,off(n)}{
		fsys:=os.DirFS(dir); m,_:=filepath.Glob(dir+"/*.sch")
		rs,err:=schematron.Read(fsys,filepath.Base(m[0]),schematron.Options{}); if err!=nil{t.Fatal(err)}
		type res struct{c string;d time.Duration}
		var all []res; total:=time.Duration(0)
		pats:=rs.Patterns
		for _,p:=range pats{
			rs.Patterns=[]*schematron.Pattern{p}
			prog,err:=schematron.Compile(rs,fsys,schematron.CompileOptions{}); if err!=nil{t.Fatal(err)}
			best:=time.Hour
			for i:=0;i<5;i++{ c:=cpu(); prog.Evaluate(t.Context(),doc,schematron.EvaluateOptions{}); if e:=cpu()-c;e<best{best=e}}
			all=append(all,res{fmt.Sprint(len(p.Rules)," ",p.Rules[0].Context.Text),best}); total+=best
		}
		sort.Slice(all,func(i,j int)bool{return all[i].d>all[j].d})
		fmt.Println(dir,total)
		for _,r:=range all[:14]{ c:=r.c; if len(c)>150{c=c[:150]}; fmt.Println("  ",r.d,c) }
	}
}
