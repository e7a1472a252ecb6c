-- Who calls whom most often, and from which line?
-- tracewright table calls runs/ -o calls.parquet
select caller_class, caller_method, caller_line, class, method, sum(calls) as calls, sum(threw) as threw
from 'calls.parquet' where error is null
group by all order by calls desc, class, method, caller_line limit 20;
