-- Which lines ran most often?
-- tracewright table blocks runs/ -o blocks.parquet
select file, first_line, last_line, class, method, sum(count) as ran
from 'blocks.parquet' where error is null
group by all order by ran desc, file, first_line, last_line limit 20;
