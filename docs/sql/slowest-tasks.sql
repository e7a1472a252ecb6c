-- Which requests and tasks took longest?
-- tracewright table sections runs/ -o sections.parquet
select kind, name, count(*) as times, max(length) as longest, sum(blocks) as blocks
from 'sections.parquet' where kind in ('request', 'task')
group by all order by longest desc nulls last, blocks desc, name limit 20;
