// Package spark tests docs/spark/keyheat_spark.py on a real Spark: a local cluster of two executors, which
// the tests start from the pyspark package. It holds nothing but tests.
package spark
