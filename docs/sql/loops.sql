-- Which loops went round most often?
-- tracewright table loops traces/ -o loops.parquet
select trace, track, level, word, max(iterations) as longest, sum(iterations) as iterations, count(*) as times
from 'loops.parquet' where period > 0
group by all order by iterations desc, track, level, word limit 20;
