-- Which tests throw, in how many recordings, and where?
-- tracewright table sections runs/ -o sections.parquet
select name, count(distinct trace) as recordings, count(*) as runs,
  count(*) filter (outcome = 'threw') as threw, any_value(file || ':' || line) as at
from 'sections.parquet' where kind = 'test'
group by name having threw > 0 order by threw desc, name;
