grammar Note;
song: bar+ EOF ;
bar: tone (',' tone)* '|' ;
tone: tone '+' tone | tone '*' NUMBER | '(' tone ')' | NAME ;
NAME: [a-g] '#'? ;
NUMBER: [0-9]+ ;
SPACE: [ \t\r\n]+ -> skip ;
