package zz
import ("testing";"os";"time";"path/filepath";"strings";"fmt"
"einvoiced/core/schematron";"einvoiced/core/xmltree")
func load(dir string) (*schematron.Program, time.Duration, time.Duration) {
	fsys:=os.DirFS(dir)
	m,_:=filepath.Glob(dir+"/*.sch")
	t0:=time.Now()
	rs,err:=schematron.Read(fsys,filepath.Base(m[0]),schematron.Options{})
	if err!=nil{panic(err)}
	t1:=time.Now()
	p,err:=schematron.Compile(rs,fsys,schematron.CompileOptions{})
	if err!=nil{panic(err)}
	return p,t1.Sub(t0),time.Since(t1)
}
var names=[]string{"fx-2.3.3-basic-1.07.3","fx-2.3.3-en16931-1.07.3","fx-2.3.3-extended-1.07.3","fx-2.4-basic-1.08","fx-2.4-en16931-1.08","fx-2.4-extended-1.08","fx-2.5.2-basic-1.09-2","fx-2.5.2-en16931-1.09-2","fx-2.5.2-extended-1.09-2"}
func off(n string) string { return "/tmp/facturx/official/"+n[:strings.LastIndex(strings.Replace(n,"-2","",0),"-1.0")] }
func TestX(t *testing.T){
	for round:=0;round<3;round++{
	var tr,tc,or,oc time.Duration
	for _,n:=range names{
		_,a,b:=load("../rulebooks/books/"+n); tr+=a;tc+=b
		_,c,d:=load(off(n)); or+=c;oc+=d
		if round==2 {fmt.Println(n,"ours read",a,"compile",b,"official",c,d)}
	}
	fmt.Println("ours",tr,tc,"official",or,oc)
	}
	if os.Getenv("LINES")==""{return}
	for _,n:=range strings.Fields(os.Getenv("SETS")){
		for _,l:=range strings.Split(os.Getenv("LINES"),","){
		data,_:=os.ReadFile("/tmp/facturx/l"+l+".xml")
		if l=="s" {data,_=os.ReadFile("/work/shared/corpus/fx-extended/m-dup-368.xml")}
		doc,err:=xmltree.Parse(data,xmltree.Options{})
		if err!=nil{t.Fatal(err)}
		for _,d:=range []string{"../rulebooks/books/"+n,off(n)}{
			p,_,_:=load(d)
			best:=time.Hour
			reps:=3
			if l=="s"{reps=50}
			for i:=0;i<reps;i++{ t0:=time.Now(); if _,err:=p.Evaluate(t.Context(),doc,schematron.EvaluateOptions{});err!=nil{t.Fatal(err)}; if e:=time.Since(t0);e<best{best=e}}
			fmt.Println(n,l,strings.Contains(d,"official"),best)
		}
		doc.Release()
		}
	}
}
